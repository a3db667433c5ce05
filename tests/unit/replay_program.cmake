# Replay programs: order of memory, waits, addresses, pages, operations, text.
ooc_test(replay_program unit
  SOURCES replay_memory_test.cpp
          replay_pages_test.cpp
          replay_places_test.cpp
          replay_operations_test.cpp
          replay_text_test.cpp
  LINK ooc_test_support)
