ooc_test(framework unit SOURCES framework_test.cpp LINK ooc_predict)
set_property(TEST unit.framework PROPERTY COST 80)
