# `replay` end to end against the measuring program on its fake device, and against recordings.
ooc_test(replay cli
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/replay_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/replay_import_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/replay_faults_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/replay_pages_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/replay_parts_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/run_program.cpp
  LINK ooc_cli nlohmann_json::nlohmann_json)
target_compile_definitions(cli_replay PRIVATE OOC_PROGRAM="$<TARGET_FILE:ooc-paleo>"
  OOC_GPU_STUB="$<TARGET_FILE:ooc-paleo-gpu-stub>")
add_dependencies(cli_replay ooc-paleo ooc-paleo-gpu-stub)
