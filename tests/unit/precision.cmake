ooc_test(precision unit SOURCES precision_test.cpp LINK ooc_cost)
