# The engine's rules, one by one.
ooc_test(engine unit
  SOURCES engine_order_test.cpp
          engine_link_test.cpp
          engine_memory_test.cpp
          engine_stalls_test.cpp
  LINK ooc_test_support)
# Counts every allocation, so it is a program of its own.
ooc_test(engine_allocations unit
  SOURCES engine_allocations_test.cpp
  LINK ooc_test_support
  ALONE)  # it replaces operator new
