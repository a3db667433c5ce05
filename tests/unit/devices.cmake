# Is an iteration on several devices put together as docs/notebook/0008-devices.md says?
ooc_test(devices unit
  SOURCES devices_test.cpp
  LINK ooc_test_support)
