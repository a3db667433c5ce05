ooc_test(studies validation SOURCES studies_test.cpp LINK ooc_cli)
