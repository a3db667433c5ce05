# scripts/from_torch.py against PyTorch, where a python3 has it; else the test says SKIPPED.
find_program(OOC_PYTHON python3)
if(OOC_PYTHON)
  add_test(NAME cli.from_torch
    COMMAND ${OOC_PYTHON} -B -W ignore ${CMAKE_CURRENT_LIST_DIR}/from_torch_test.py ${PROJECT_SOURCE_DIR} $<TARGET_FILE:ooc-paleo>)
  set_tests_properties(cli.from_torch PROPERTIES LABELS "cli;script" TIMEOUT 120 SKIP_REGULAR_EXPRESSION "SKIPPED")
endif()
