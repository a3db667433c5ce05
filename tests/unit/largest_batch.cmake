ooc_test(largest_batch unit
  SOURCES largest_batch_test.cpp
  LINK ooc_schedules)
