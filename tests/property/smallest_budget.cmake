# Is what a job that does not fit is told true?
ooc_test(smallest_budget property SOURCES ${CMAKE_CURRENT_LIST_DIR}/smallest_budget_test.cpp
  LINK ooc_cli)
