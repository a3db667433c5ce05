ooc_test(schedules_dyn unit
  SOURCES schedules_dyn_test.cpp
  LINK ooc_test_support)
