# The tool beside the program: the numbers of a table that was made up come back.
find_program(OOC_PYTHON python3)
if(OOC_PYTHON)
  add_test(NAME cli.fit_kernels
    COMMAND ${OOC_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/fit_kernels_test.py ${PROJECT_SOURCE_DIR} $<TARGET_FILE:ooc-paleo>)
  set_tests_properties(cli.fit_kernels PROPERTIES LABELS "cli;script" TIMEOUT 300)
endif()
