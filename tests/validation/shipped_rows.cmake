ooc_test(shipped_rows validation SOURCES ${CMAKE_CURRENT_LIST_DIR}/shipped_rows_test.cpp LINK ooc_cli)
