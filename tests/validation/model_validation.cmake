ooc_test(published_memory validation SOURCES ${CMAKE_CURRENT_LIST_DIR}/published_memory_test.cpp
  LINK ooc_schedules ooc_engine)
ooc_test(published_compute validation
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/published_compute_test.cpp LINK ooc_cost)
ooc_test(paleo validation SOURCES ${CMAKE_CURRENT_LIST_DIR}/paleo_test.cpp LINK ooc_cost)
