ooc_test(ledger unit SOURCES ledger_test.cpp LINK ooc_plan)
