# Shows that check_layers.cmake can fail: runs it on a small tree full of forbidden includes and compares
# the places that it names, line by line, with the expected ones.
#   cmake -DTREE=<folder with the tree and expected.txt> -P cmake/check_layers_test.cmake
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${TREE} -P ${CMAKE_CURRENT_LIST_DIR}/check_layers.cmake
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(status EQUAL 0)
  message(FATAL_ERROR "the forbidden tree passed")
endif()
string(REGEX MATCHALL "[a-z_/]+\\.[a-z]+:[0-9]+:[^\n]*" found "${errors}")
list(FILTER found EXCLUDE REGEX "check_layers\\.cmake")
list(SORT found)
list(JOIN found "\n" found)
file(READ ${TREE}/expected.txt expected)
string(STRIP "${expected}" expected)
if(NOT found STREQUAL expected)
  message(FATAL_ERROR "found\n${found}\nexpected\n${expected}\nstderr\n${errors}")
endif()
