# `--devices` from outside; exported plans go through the naive simulator.
ooc_test(devices cli
  SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/devices_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/run_program.cpp
    ${PROJECT_SOURCE_DIR}/tests/support/naive_simulator.cpp
    ${PROJECT_SOURCE_DIR}/tests/support/naive_plan_text.cpp
  LINK ooc_base)
target_compile_definitions(cli_devices PRIVATE OOC_PROGRAM="$<TARGET_FILE:ooc-paleo>")
add_dependencies(cli_devices ooc-paleo)
# The same from inside: plans of several devices as the command line makes them.
ooc_test(devices_parts cli SOURCES ${CMAKE_CURRENT_LIST_DIR}/devices_parts_test.cpp LINK ooc_cli)
