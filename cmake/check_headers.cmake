# Every header compiles alone: it includes what it uses. One compiler run a header, syntax only.
#   cmake -DROOT=<repository> -DFOLDER=<one of its folders> -DCOMPILER=<c++> -P cmake/check_headers.cmake
cmake_minimum_required(VERSION 3.25)

file(GLOB_RECURSE headers RELATIVE ${ROOT} ${ROOT}/${FOLDER}/*.hpp)
list(LENGTH headers count)
if(count EQUAL 0)
  message(FATAL_ERROR "no headers under '${ROOT}/${FOLDER}'")
endif()

set(failed "")
foreach(header IN LISTS headers)
  # Through a file that only includes it: the compiler would warn of `#pragma once` in a main file.
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "#include \"${header}\""
    COMMAND ${COMPILER} -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I${ROOT} -I${ROOT}/simulator/predict -x c++ -
    RESULT_VARIABLE status ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    list(APPEND failed ${header})
    message(NOTICE "${header} does not compile alone:\n${errors}")
  endif()
endforeach()
if(failed)
  message(FATAL_ERROR "not self-contained: ${failed}")
endif()
message(STATUS "${count} headers, each compiles alone")
