ooc_test(schedules_compress unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/schedules_compress_test.cpp ${PROJECT_SOURCE_DIR}/tests/support/random_networks.cpp
  LINK ooc_engine ooc_schedules fmt::fmt)
