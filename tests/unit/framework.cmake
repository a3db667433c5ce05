ooc_test(framework unit SOURCES framework_test.cpp LINK ooc_predict)
