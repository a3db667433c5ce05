ooc_test(levers unit SOURCES levers_test.cpp LINK ooc_predict)
