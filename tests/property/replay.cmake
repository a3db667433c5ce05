# Can any execution of a replay program overflow memory, get stuck or miss its time?
ooc_test(replay property
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/replay_test.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/random_networks.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/random_plan.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/hand_graph.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/replay_executor.cpp
  LINK ooc_replay ooc_engine ooc_schedules fmt::fmt)
