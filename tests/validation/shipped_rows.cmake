ooc_test(shipped_rows validation SOURCES shipped_rows_test.cpp formulas_test.cpp LINK ooc_cli ooc_test_support)
set_tests_properties(validation.shipped_rows PROPERTIES COST 120 FIXTURES_SETUP all_rows
  ENVIRONMENT OOC_ALL_ROWS=${PROJECT_BINARY_DIR}/all_rows.txt)
