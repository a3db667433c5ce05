ooc_test(bounds unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/bounds_test.cpp ${PROJECT_SOURCE_DIR}/tests/support/random_networks.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/hand_graph.cpp
  LINK ooc_plan fmt::fmt)
