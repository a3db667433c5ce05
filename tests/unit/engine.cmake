# The engine's rules, one by one.
ooc_test(engine unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/engine_order_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/engine_link_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/engine_memory_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/engine_stalls_test.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/reference_workload.cpp
  LINK ooc_engine)
# Counts every allocation, so it is a program of its own.
ooc_test(engine_allocations unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/engine_allocations_test.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/reference_workload.cpp
  LINK ooc_engine)
