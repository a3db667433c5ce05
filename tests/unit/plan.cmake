# The plan: building, text form, validation.
ooc_test(plan unit
  SOURCES plan_builder_test.cpp
          plan_validate_test.cpp
          wait_as_framework_test.cpp
  LINK ooc_test_support)
