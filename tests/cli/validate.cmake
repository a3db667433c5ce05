# `validate` from outside: shipped rows, rows of one's own, bad ones, and replays on the fake device.
ooc_test(validate cli
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/validate_test.cpp ${CMAKE_CURRENT_LIST_DIR}/run_program.cpp
  LINK ooc_base nlohmann_json::nlohmann_json)
target_compile_definitions(cli_validate PRIVATE OOC_PROGRAM="$<TARGET_FILE:ooc-paleo>"
  OOC_GPU_STUB="$<TARGET_FILE:ooc-paleo-gpu-stub>")
add_dependencies(cli_validate ooc-paleo ooc-paleo-gpu-stub)
