ooc_test(schedules_recompute unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/schedules_recompute_test.cpp ${PROJECT_SOURCE_DIR}/tests/support/random_networks.cpp
  LINK ooc_engine ooc_schedules fmt::fmt)
