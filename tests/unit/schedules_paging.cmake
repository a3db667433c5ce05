# Unified memory: the schedules by hand, tensors in parts, and what faults cost.
ooc_test(schedules_paging unit
  SOURCES schedules_paging_test.cpp
  LINK ooc_test_support)
