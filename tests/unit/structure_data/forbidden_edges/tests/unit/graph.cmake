ooc_test(graph unit SOURCES graph_test.cpp LINK ooc_graph)
