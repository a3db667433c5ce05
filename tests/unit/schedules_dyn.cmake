ooc_test(schedules_dyn unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/schedules_dyn_test.cpp ${PROJECT_SOURCE_DIR}/tests/support/random_networks.cpp
  LINK ooc_engine ooc_schedules fmt::fmt)
