ooc_test(shipped_rows validation SOURCES shipped_rows_test.cpp formulas_test.cpp LINK ooc_cli)
