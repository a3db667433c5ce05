ooc_test(hardware unit
  SOURCES
    hardware_reader_test.cpp
    hardware_shipped_test.cpp data_sheet_test.cpp
  LINK ooc_hardware)
