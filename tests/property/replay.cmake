# Can any execution of a replay program overflow memory, get stuck or miss its time?
ooc_test(replay property
  SOURCES replay_test.cpp
  LINK ooc_test_support)
