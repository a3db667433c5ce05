# Every ooc-paleo command line in README.md, docs/ and tests/golden/cases/ runs with exactly the output
# that stands below it.
ooc_test(commands golden
  SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/commands_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/console_blocks.cpp
    ${CMAKE_CURRENT_LIST_DIR}/console_blocks_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/../cli/run_program.cpp)
target_compile_definitions(golden_commands PRIVATE OOC_PROGRAM="$<TARGET_FILE:ooc-paleo>")
add_dependencies(golden_commands ooc-paleo)
