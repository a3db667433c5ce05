ooc_test(schedules_best unit
  SOURCES schedules_best_test.cpp
  LINK ooc_test_support)
