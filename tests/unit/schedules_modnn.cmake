ooc_test(schedules_modnn unit
  SOURCES schedules_modnn_test.cpp
  LINK ooc_test_support)
ooc_test(sub_batch unit
  SOURCES sub_batch_test.cpp
  LINK ooc_test_support)
ooc_test(address_space unit SOURCES address_space_test.cpp LINK ooc_schedules)
