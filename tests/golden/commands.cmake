# Every ooc-paleo command line in README.md, docs/ and tests/golden/cases/ runs with exactly the output
# that stands below it.
ooc_test(commands golden
  SOURCES
    commands_test.cpp
    console_blocks.cpp
    console_blocks_test.cpp
  LINK ooc_test_support
  RUNS ooc-paleo)
set_property(TEST golden.commands PROPERTY COST 70)
if(NOT sanitized)
  ooc_test(docs golden SOURCES docs_test.cpp console_blocks.cpp LINK ooc_test_support RUNS ooc-paleo)
  set_tests_properties(golden.docs PROPERTIES COST 60 FIXTURES_REQUIRED all_rows
    ENVIRONMENT OOC_ALL_ROWS=${PROJECT_BINARY_DIR}/all_rows.txt)
endif()
