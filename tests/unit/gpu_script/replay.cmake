# Runs scripts/measure-gpu with the main program on the stub device: calibrates, replays a small network's matrix,
# and goes on with what is missing of it.
#   cmake -DSCRIPT=... -DSTUB=... -DPROGRAM=... -DFOLDER=... -P replay.cmake
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${FOLDER})

function(measure expected_status expected_text)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env OOC_PALEO=${PROGRAM} OOC_MEASURE_STUB=${STUB} OOC_STUB=memory=90e6
      OOC_MEASURE_NETWORKS=example_skip:4 ${SCRIPT} ${FOLDER} ${ARGN}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL expected_status OR NOT output MATCHES "${expected_text}")
    message(FATAL_ERROR "status ${status} (expected ${expected_status}), expected '${expected_text}' in:\n${output}")
  endif()
endfunction()

# in-core, spin and real; then the other schedules, of which the static ones have one plan for all budgets
measure(0 "unified is left out: .*page faults.*stage 1: 2 of 2 plans answered.*stage 2: [0-9]+ of [0-9]+ plans answered.*baseline: skipped")
set(replay ${FOLDER}/replay)
file(GLOB cases ${replay}/example_skip-*.json)
list(LENGTH cases count)
if(count LESS 70)  # 2 + 12 schedules × 3 budgets × 2, but modnn's in rounds with real operations
  message(FATAL_ERROR "${count} cases in ${replay}")
endif()
file(READ ${replay}/example_skip-capacity-low-real.json json)
string(JSON mode GET "${json}" run mode)
string(JSON notes LENGTH "${json}" run notes)
string(JSON uncovered LENGTH "${json}" run not_covered)
if(NOT mode STREQUAL "real" OR NOT notes EQUAL 0 OR NOT uncovered EQUAL 0)
  message(FATAL_ERROR "an operation is missing: ${json}")
endif()
# What `real` is predicted with: a row for each layer with tasks of its own (flatten has none).
file(STRINGS ${replay}/layers-example_skip-4.csv rows)
list(LENGTH rows count)
if(NOT count EQUAL 10)
  message(FATAL_ERROR "layer times: ${rows}")
endif()

# A plan whose answer is lost is measured again, alone, and a JSON that is lost made again.
file(READ ${replay}/log.txt log)
string(REGEX REPLACE "done id=[0-9]+ [^\n]*\n$" "" cut "${log}")
file(WRITE ${replay}/log.txt "${cut}")
file(REMOVE ${FOLDER}/replay.done ${replay}/example_skip-capacity-low-real.json)
measure(0 "calibrate-full: done before.*stage 2: [0-9]+ of [0-9]+ plans answered")
file(READ ${replay}/log.txt again)
string(REGEX MATCHALL "done id=" before "${log}")
string(REGEX MATCHALL "done id=" after "${again}")
list(LENGTH before before)
list(LENGTH after after)
if(NOT before EQUAL after OR NOT EXISTS ${replay}/example_skip-capacity-low-real.json)
  message(FATAL_ERROR "${before} answers, then ${after}")
endif()
