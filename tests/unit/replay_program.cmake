# Plans for devices: order of memory, waits.
ooc_test(replay_program unit
  SOURCES replay_memory_test.cpp
  LINK ooc_test_support)
