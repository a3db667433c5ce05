ooc_test(shared_weights property SOURCES shared_weights_test.cpp LINK ooc_test_support)
