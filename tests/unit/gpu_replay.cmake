# Plans on the stub device: the lines of a group, the times, the content check.
ooc_test(gpu_replay unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/gpu_child.cpp ${CMAKE_CURRENT_LIST_DIR}/gpu_replay_plan.cpp
          ${CMAKE_CURRENT_LIST_DIR}/gpu_replay_check_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/gpu_replay_group_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/gpu_replay_real_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/gpu_replay_run_test.cpp
  LINK ooc_gpu_stub)
target_compile_definitions(unit_gpu_replay PRIVATE
  OOC_GPU_STUB_PROGRAM="$<TARGET_FILE:ooc-paleo-gpu-stub>")
add_dependencies(unit_gpu_replay ooc-paleo-gpu-stub)
