# The measuring program on the stub device, as a child process and in this one.
ooc_test(gpu unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/gpu_child.cpp ${CMAKE_CURRENT_LIST_DIR}/gpu_measure_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/gpu_protocol_test.cpp ${CMAKE_CURRENT_LIST_DIR}/gpu_stub_test.cpp
  LINK ooc_gpu_stub
  RUNS ooc-paleo-gpu-stub)

# scripts/measure-gpu: on the stub device in two runs, and what it says where there is no GPU.
add_test(NAME unit.gpu_script
  COMMAND ${CMAKE_COMMAND} -DSCRIPT=${PROJECT_SOURCE_DIR}/scripts/measure-gpu
    -DSTUB=$<TARGET_FILE:ooc-paleo-gpu-stub> -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/gpu_script
    -P ${CMAKE_CURRENT_LIST_DIR}/gpu_script/run.cmake)
set_tests_properties(unit.gpu_script PROPERTIES LABELS "unit;script" TIMEOUT 300)
