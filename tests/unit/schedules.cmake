ooc_test(schedules unit
  SOURCES schedules_test.cpp
  LINK ooc_test_support)
