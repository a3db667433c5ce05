# Is what a job that does not fit is told true?
ooc_test(smallest_budget property SOURCES smallest_budget_test.cpp caching_margin_test.cpp
  LINK ooc_cli)
set_property(TEST property.smallest_budget PROPERTY COST 88)
