# `calibrate` end to end against the measuring program on its fake device, and against recordings; that program alone.
ooc_test(calibrate cli
  SOURCES bench_test.cpp
    calibrate_test.cpp
    calibrate_operations_test.cpp
  LINK ooc_test_support ooc_cli
  RUNS ooc-paleo ooc-paleo-gpu-stub)
set_property(TEST cli.calibrate PROPERTY COST 95)
