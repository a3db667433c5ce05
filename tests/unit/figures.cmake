ooc_test(figures unit SOURCES figures_test.cpp LINK ooc_predict)
