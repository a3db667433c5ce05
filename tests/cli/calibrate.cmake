# `calibrate` end to end against the measuring program on its fake device, and against recordings.
ooc_test(calibrate cli
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/calibrate_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/calibrate_faults_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/run_program.cpp
  LINK ooc_session)
target_compile_definitions(cli_calibrate PRIVATE OOC_PROGRAM="$<TARGET_FILE:ooc-paleo>"
  OOC_GPU_STUB="$<TARGET_FILE:ooc-paleo-gpu-stub>")
add_dependencies(cli_calibrate ooc-paleo ooc-paleo-gpu-stub)
