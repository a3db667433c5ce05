# `max-batch` from outside, and its function from inside.
ooc_test(max_batch cli
  SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/max_batch_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/run_program.cpp
  LINK ooc_cli)
target_compile_definitions(cli_max_batch PRIVATE OOC_PROGRAM="$<TARGET_FILE:ooc-paleo>")
add_dependencies(cli_max_batch ooc-paleo)
