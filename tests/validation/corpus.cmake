# Every fortieth result of the corpus; scripts/corpus has all of them.
find_program(OOC_PYTHON3 python3)
if(OOC_PYTHON3)
  add_test(NAME validation.corpus
    COMMAND ${OOC_PYTHON3} ${PROJECT_SOURCE_DIR}/scripts/corpus --every 40 --program $<TARGET_FILE:ooc-paleo>)
else()
  add_test(NAME validation.corpus COMMAND ${CMAKE_COMMAND} -E cat "python3 was not found when configuring")
endif()
set_tests_properties(validation.corpus PROPERTIES LABELS validation TIMEOUT 600)
