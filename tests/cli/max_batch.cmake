# `max-batch`, `need` and `fit` from outside, and their functions from inside.
ooc_test(max_batch cli
  SOURCES
    max_batch_test.cpp
    advise_test.cpp need_test.cpp
  LINK ooc_test_support ooc_cli
  RUNS ooc-paleo)
set_property(TEST cli.max_batch PROPERTY COST 110)
