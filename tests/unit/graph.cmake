ooc_test(graph unit SOURCES graph_tasks_test.cpp
  graph_keeping_test.cpp
  graph_sequence_test.cpp graph_transformer_test.cpp graph_frozen_test.cpp LINK ooc_graph)
ooc_test(cost unit SOURCES cost_algorithms_test.cpp cost_compute_test.cpp
  LINK ooc_cost)
