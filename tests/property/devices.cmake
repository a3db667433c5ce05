# Does an iteration on several devices keep the laws of schedules?
ooc_test(devices property
  SOURCES devices_test.cpp
  LINK ooc_test_support ooc_predict)
