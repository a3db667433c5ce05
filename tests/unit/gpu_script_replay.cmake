# scripts/measure-gpu with the main program on the stub device, and the baseline's ways out without PyTorch.
add_test(NAME unit.gpu_script_replay
  COMMAND ${CMAKE_COMMAND} -DSCRIPT=${PROJECT_SOURCE_DIR}/scripts/measure-gpu
    -DSTUB=$<TARGET_FILE:ooc-paleo-gpu-stub> -DPROGRAM=$<TARGET_FILE:ooc-paleo>
    -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/gpu_script_replay
    -P ${CMAKE_CURRENT_LIST_DIR}/gpu_script/replay.cmake)
set_tests_properties(unit.gpu_script_replay PROPERTIES LABELS "unit;script" TIMEOUT 300)

find_program(OOC_PYTHON python3)
if(OOC_PYTHON)
  add_test(NAME unit.baseline_script
    COMMAND ${CMAKE_COMMAND} -DSCRIPT=${PROJECT_SOURCE_DIR}/scripts/baseline_torch.py -DPYTHON=${OOC_PYTHON}
      -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/baseline_script
      -P ${CMAKE_CURRENT_LIST_DIR}/gpu_script/baseline.cmake)
  set_tests_properties(unit.baseline_script PROPERTIES LABELS unit TIMEOUT 60)
endif()
