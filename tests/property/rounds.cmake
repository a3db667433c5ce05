# Does an iteration in rounds keep the laws of schedules?
ooc_test(rounds property
  SOURCES rounds_test.cpp
  LINK ooc_test_support ooc_summary)
