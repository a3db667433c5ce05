ooc_test(largest_batch unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/largest_batch_test.cpp
  LINK ooc_schedules)
