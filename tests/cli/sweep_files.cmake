# The files of sweeps from outside: kept whatever ends the process, gone on with, never mixed up or lost.
ooc_test(sweep_files cli
  SOURCES sweep_files_test.cpp
  LINK ooc_test_support
  RUNS ooc-paleo)
set_property(TEST cli.sweep_files PROPERTY COST 20)
