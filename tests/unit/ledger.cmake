ooc_test(ledger unit SOURCES ${CMAKE_CURRENT_LIST_DIR}/ledger_test.cpp LINK ooc_plan)
