ooc_test(compression property
  SOURCES compression_test.cpp
  LINK ooc_test_support ooc_summary)
