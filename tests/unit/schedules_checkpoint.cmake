ooc_test(schedules_checkpoint unit
  SOURCES schedules_checkpoint_test.cpp
  LINK ooc_test_support)
