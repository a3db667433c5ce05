ooc_test(border_search unit SOURCES border_search_test.cpp LINK ooc_predict)
