# The measuring program on the stub device, as a child process and in this one.
ooc_test(gpu unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/gpu_child.cpp ${CMAKE_CURRENT_LIST_DIR}/gpu_measure_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/gpu_protocol_test.cpp ${CMAKE_CURRENT_LIST_DIR}/gpu_stub_test.cpp
  LINK ooc_gpu_stub)
target_compile_definitions(unit_gpu PRIVATE
  OOC_GPU_STUB_PROGRAM="$<TARGET_FILE:ooc-paleo-gpu-stub>")
add_dependencies(unit_gpu ooc-paleo-gpu-stub)
