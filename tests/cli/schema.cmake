# The published JSON Schemas against a real validator and against our readers. Without Python or
# python3-jsonschema the test fails and says what is missing: an unchecked schema is no contract.
find_program(OOC_PYTHON3 python3)
if(OOC_PYTHON3)
  add_test(NAME cli.schema
    COMMAND ${OOC_PYTHON3} ${CMAKE_CURRENT_LIST_DIR}/schema_test.py
      --source ${PROJECT_SOURCE_DIR} --program $<TARGET_FILE:ooc-paleo>)
else()
  add_test(NAME cli.schema COMMAND ${CMAKE_COMMAND} -E cat "python3 was not found when configuring")
endif()
set_tests_properties(cli.schema PROPERTIES LABELS cli TIMEOUT 600)
