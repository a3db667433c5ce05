# `--devices` from outside; exported plans go through the naive simulator.
ooc_test(devices cli
  SOURCES
    devices_test.cpp
  LINK ooc_test_support
  RUNS ooc-paleo)
# The same from inside: plans of several devices as the command line makes them.
ooc_test(devices_parts cli SOURCES devices_parts_test.cpp LINK ooc_cli)
