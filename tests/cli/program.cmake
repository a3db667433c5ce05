# The built program from outside (exit codes, messages, files) and the parts of the command line from
# inside. run_program.cpp is shared with the golden tests.
ooc_test(program cli
  SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/compare_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/page_commands_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/job_file_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/terminal_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/state_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/sweep_axes_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/sweep_test.cpp
  LINK ooc_test_support ooc_predict
  RUNS ooc-paleo)

ooc_test(parts cli
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/parts_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/sweep_parts_test.cpp
  LINK ooc_cli)

add_test(NAME cli.install
  COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DBINDIR=${CMAKE_INSTALL_BINDIR}
    -DEXAMPLES=${PROJECT_SOURCE_DIR}/examples -DCXX=${CMAKE_CXX_COMPILER} "-DFLAGS=${CMAKE_CXX_FLAGS}"
    "-DGENERATOR=${CMAKE_GENERATOR}"
    -P ${CMAKE_CURRENT_LIST_DIR}/scripts/check_install.cmake)
set_tests_properties(cli.install PROPERTIES LABELS cli TIMEOUT 120)

# The longest start first, so that no core waits for them at the end.
set_property(TEST cli.program PROPERTY COST 90)
