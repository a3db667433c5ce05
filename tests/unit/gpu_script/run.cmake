# Runs scripts/measure-gpu without a main program on the stub device: it is cut off by its time, goes on where it
# was, and then has nothing left to do. A small device refuses the large sizes, which is quick.
#   cmake -DSCRIPT=... -DSTUB=... -DFOLDER=... -P run.cmake
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${FOLDER})

function(measure expected_status expected_text)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env OOC_PALEO=none OOC_STUB=memory=90e6 ${ARGN}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL expected_status OR NOT output MATCHES "${expected_text}")
    message(FATAL_ERROR "status ${status} (expected ${expected_status}), expected '${expected_text}' in:\n${output}")
  endif()
endfunction()

# 19 s are less than a step is begun with.
measure(1 "record-quick: no time left" OOC_MEASURE_STUB=${STUB} ${SCRIPT} ${FOLDER} --seconds 19)
if(EXISTS ${FOLDER}/samples-quick.txt)
  message(FATAL_ERROR "measured without time")
endif()
measure(0 "128 of 128 requests answered.*325 of 325" OOC_MEASURE_STUB=${STUB} ${SCRIPT} ${FOLDER})
file(STRINGS ${FOLDER}/samples-quick.txt samples REGEX "^sample id=1 what=copy mode=pinned direction=to_near bytes=4096 ")
list(LENGTH samples count)
if(NOT count EQUAL 14)  # 7 repetitions, time and issue
  message(FATAL_ERROR "${count} samples of the first request")
endif()
# 8000 + 4096 / 25, in every one of them
list(FILTER samples INCLUDE REGEX "metric=time timer=event ns=8163.84")
list(LENGTH samples count)
if(NOT count EQUAL 7)
  message(FATAL_ERROR "the stub's latency and rate do not show:\n${samples}")
endif()
# A killed script's measuring program may still be writing.
file(WRITE ${FOLDER}/.lock "")
execute_process(COMMAND flock --exclusive ${FOLDER}/.lock ${CMAKE_COMMAND} -E env OOC_PALEO=none
    OOC_MEASURE_STUB=${STUB} ${SCRIPT} ${FOLDER}
  RESULT_VARIABLE status ERROR_VARIABLE output OUTPUT_QUIET)
if(NOT status EQUAL 1 OR NOT output MATCHES "another measurement is writing")
  message(FATAL_ERROR "two at once: ${status}\n${output}")
endif()
measure(0 "record-full: done before" OOC_MEASURE_STUB=${STUB} ${SCRIPT} ${FOLDER})

# No machine has this device, and most have no driver.
measure(5 "no measurement: " ${SCRIPT} ${FOLDER}/none --device 4096)
measure(1 "unknown argument '--fast'" ${SCRIPT} ${FOLDER} --fast)
