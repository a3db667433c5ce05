# Can any plan break the engine?
ooc_test(engine property
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/engine_agrees_with_naive.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/naive_simulator.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/naive_plan_text.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/hand_graph.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/random_plan.cpp
  LINK ooc_engine fmt::fmt)
