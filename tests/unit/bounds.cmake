ooc_test(bounds unit
  SOURCES bounds_test.cpp
  LINK ooc_test_support)
