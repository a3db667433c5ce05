ooc_test(graph unit SOURCES ${CMAKE_CURRENT_LIST_DIR}/graph_tasks_test.cpp ${CMAKE_CURRENT_LIST_DIR}/graph_buffers_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/graph_footprint_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/graph_sequence_test.cpp LINK ooc_graph)
ooc_test(cost unit SOURCES ${CMAKE_CURRENT_LIST_DIR}/cost_algorithms_test.cpp ${CMAKE_CURRENT_LIST_DIR}/cost_compute_test.cpp ${CMAKE_CURRENT_LIST_DIR}/cost_transfer_test.cpp
  LINK ooc_cost)
