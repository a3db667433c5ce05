# Unified memory: the schedules by hand, tensors in parts, and what faults cost.
ooc_test(schedules_paging unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/schedules_paging_test.cpp ${PROJECT_SOURCE_DIR}/tests/support/random_networks.cpp
  LINK ooc_engine ooc_schedules fmt::fmt)
