# Can more memory or a faster link make a schedule slower that chooses its plan by trial?
ooc_test(monotony property SOURCES monotony_test.cpp
  LINK ooc_cli ooc_test_support)
