ooc_test(schedules_compress unit
  SOURCES schedules_compress_test.cpp
  LINK ooc_test_support)
