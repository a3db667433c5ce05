# `max-batch` from outside, and its function from inside.
ooc_test(max_batch cli
  SOURCES
    max_batch_test.cpp
  LINK ooc_test_support ooc_cli
  RUNS ooc-paleo)
