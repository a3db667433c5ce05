# Is what best finds the best there is, where all there is can be gone through?
ooc_test(best property
  SOURCES best_test.cpp
  LINK ooc_test_support)
ooc_test(best_plans property
  SOURCES best_plans_test.cpp
  LINK ooc_test_support)
