# Can any plan break the engine?
ooc_test(engine property
  SOURCES engine_agrees_with_naive.cpp caching_agrees_with_naive.cpp
  LINK ooc_test_support)
