# Do the schedules that move pages keep their laws when tensors are in parts and faults have a price?
ooc_test(paging property
  SOURCES paging_test.cpp
  LINK ooc_test_support ooc_summary)
