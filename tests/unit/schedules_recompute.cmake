ooc_test(schedules_recompute unit
  SOURCES schedules_recompute_test.cpp
  LINK ooc_test_support)
