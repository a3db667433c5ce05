# scripts/baseline_torch.py where there is no torch: it compiles, explains itself, refuses what is wrong, and says
# what is missing. A folder with a torch that cannot be imported comes first in Python's path.
#   cmake -DSCRIPT=... -DPYTHON=... -DFOLDER=... -P baseline.cmake
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${FOLDER})
file(WRITE ${FOLDER}/torch.py "raise ImportError('no torch in this test')\n")

function(run expected_status expected_text)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${FOLDER} PYTHONDONTWRITEBYTECODE=1 ${PYTHON} ${SCRIPT} ${ARGN}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL expected_status OR NOT output MATCHES "${expected_text}")
    message(FATAL_ERROR "status ${status} (expected ${expected_status}), expected '${expected_text}' in:\n${output}")
  endif()
endfunction()

run(0 "usage: .*--networks LIST" --help)
run(6 "no baseline: no torch in this test" --output ${FOLDER}/baseline.json)
run(2 "--output" --seconds 1)
run(2 "--networks: found 'vgg16'" --output ${FOLDER}/baseline.json --networks vgg16)
run(2 "--networks: found 'vgg16:0'" --output ${FOLDER}/baseline.json --networks vgg16:0)
if(EXISTS ${FOLDER}/baseline.json)
  message(FATAL_ERROR "an output without a measurement")
endif()
