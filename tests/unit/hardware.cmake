ooc_test(hardware unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/hardware_curves_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/hardware_reader_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/hardware_shipped_test.cpp ${CMAKE_CURRENT_LIST_DIR}/architecture_test.cpp
  LINK ooc_hardware)
