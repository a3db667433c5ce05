ooc_test(schedules_swapping unit
  SOURCES schedules_swapping_test.cpp
  LINK ooc_test_support)
