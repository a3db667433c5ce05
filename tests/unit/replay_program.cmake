# Replay programs: order of memory, waits, addresses, pages, operations, text.
ooc_test(replay_program unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/replay_memory_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/replay_pages_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/replay_places_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/replay_operations_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/replay_text_test.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/random_networks.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/hand_graph.cpp
  LINK ooc_replay ooc_engine ooc_schedules fmt::fmt)
