# Is an iteration on several devices put together as docs/adr/0008-devices.md says?
ooc_test(devices unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/devices_test.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/random_networks.cpp
  LINK ooc_engine ooc_schedules fmt::fmt)
