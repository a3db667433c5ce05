# Do all commands say the same of one job?
ooc_test(one_answer property SOURCES one_answer_test.cpp
  LINK ooc_cli ooc_writers ooc_test_support)
