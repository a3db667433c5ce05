# The architecture as a test: reads every #include of the sources and fails, naming file and line, where
# one leaves the allowed dependency edges (docs/architecture.md, 5) or brings a heavy library into a
# file that should not pay for it.
#   cmake -DROOT=<repository> -P cmake/check_layers.cmake
# Violations go to stderr, one a line: <file>:<line>: <what is wrong>.
cmake_minimum_required(VERSION 3.25)

# Who may include whom directly. What a folder may include is the transitive closure of its row.
set(edges_model/base "")
set(edges_model/kernels model/base)
set(edges_model/layers model/base)
set(edges_model/network model/layers)
set(edges_model/graph model/network)
set(edges_model/hardware model/kernels)
set(edges_model/cost model/graph model/hardware)
set(edges_model/rewrite model/cost)
set(edges_model/analytic model/cost)
set(edges_simulator/plan model/rewrite)
set(edges_simulator/schedules simulator/plan model/analytic)
set(edges_simulator/timeline simulator/plan)
set(edges_simulator/engine simulator/timeline)
set(edges_simulator/replay simulator/plan simulator/timeline)
set(edges_simulator/summary simulator/timeline model/analytic)
set(edges_reports/validation model/base model/kernels)
set(edges_simulator/predict simulator/engine simulator/schedules simulator/summary)
set(edges_reports/writers simulator/summary reports/validation)
set(edges_calibrate/fit model/base model/hardware)
set(edges_calibrate/session calibrate/fit)
set(edges_calibrate/gpu "")  # a program of its own: CUDA and nothing of ours

# Libraries that are slow to compile, or that must not leak: <include prefix> <files that may>.
set(libraries nlohmann/ CLI/ boost/ fmt/)
set(allowed_nlohmann/ "^model/base/(spec_tree_json|json_writer)\\.cpp$")
set(allowed_CLI/ "^cli/")
set(allowed_boost/ "^(model/graph/[a-z_]+\\.cpp|model/network/network\\.cpp)$")
set(allowed_fmt/ "\\.cpp$")

set(top_folders model simulator reports calibrate cli)
set(main_lines 60)   # cli/main.cpp: parse, dispatch, catch
set(long_lines 400)  # listed, not forbidden

set(violations "")

# <file>:<line> of the first occurrence of `needle` in `content`.
function(report file content needle reason)
  string(FIND "${content}" "${needle}" position)
  string(SUBSTRING "${content}" 0 ${position} before)
  string(REGEX REPLACE "[^\n]" "" newlines "${before}")
  string(LENGTH "${newlines}" line)
  math(EXPR line "${line} + 1")
  set(violations ${violations} "${file}:${line}: ${reason}" PARENT_SCOPE)
endfunction()

# Everything reachable from `layer`, itself included.
function(reachable layer out)
  set(seen "")
  set(open ${layer})
  while(open)
    list(POP_FRONT open next)
    if(NOT next IN_LIST seen)
      list(APPEND seen ${next})
      list(APPEND open ${edges_${next}})
    endif()
  endwhile()
  set(${out} "${seen}" PARENT_SCOPE)
endfunction()

# "model/base/units.hpp" -> "model/base"; files of cli and its folders -> "cli".
function(layer_of path out)
  if(path MATCHES "^cli/")
    set(${out} cli PARENT_SCOPE)
  elseif(path MATCHES "^([a-z_]+)/([a-z_]+)/")
    set(${out} "${CMAKE_MATCH_1}/${CMAKE_MATCH_2}" PARENT_SCOPE)
  else()
    set(${out} "" PARENT_SCOPE)
  endif()
endfunction()

set(patterns "")
foreach(folder IN LISTS top_folders)
  foreach(extension hpp cpp h cu cuh)
    list(APPEND patterns ${ROOT}/${folder}/*.${extension})
  endforeach()
endforeach()
file(GLOB_RECURSE files RELATIVE ${ROOT} ${patterns})
list(LENGTH files file_count)
if(file_count EQUAL 0)
  message(FATAL_ERROR "no source files under '${ROOT}'")
endif()

set(include_count 0)
foreach(file IN LISTS files)
  file(READ ${ROOT}/${file} content)
  layer_of(${file} layer)
  if(NOT layer STREQUAL "cli" AND NOT DEFINED edges_${layer})
    list(APPEND violations "${file}:1: '${layer}' is no folder of docs/architecture.md (add its edges there and here)")
    continue()
  endif()
  reachable(${layer} may_include)

  string(REGEX REPLACE "[^\n]" "" newlines "${content}")
  string(LENGTH "${newlines}" lines)
  if(file STREQUAL "cli/main.cpp" AND NOT lines LESS main_lines)
    list(APPEND violations "${file}:${main_lines}: ${lines} lines (main.cpp stays under ${main_lines})")
  elseif(lines GREATER long_lines)
    message(STATUS "long: ${file} has ${lines} lines")
  endif()

  string(REGEX MATCHALL "\n[ \t]*#[ \t]*include[ \t]*[<\"][^>\"\n]+[>\"]" includes "\n${content}")
  foreach(include IN LISTS includes)
    math(EXPR include_count "${include_count} + 1")
    string(REGEX MATCH "([<\"])([^>\"]+)[>\"]$" match "${include}")
    set(quote "${CMAKE_MATCH_1}")
    set(path "${CMAKE_MATCH_2}")
    string(SUBSTRING "${include}" 1 -1 needle)  # without the newline in front

    layer_of(${path} target)
    string(REGEX MATCH "^[a-z_]+" first "${path}")
    if(first IN_LIST top_folders AND path MATCHES "/")
      if(NOT layer STREQUAL "cli" AND NOT target IN_LIST may_include)
        report(${file} "${content}" "${needle}" "${layer} must not include ${path}")
      endif()
    elseif(file MATCHES "^simulator/predict/ooc/" AND path MATCHES "^ooc/")
      # public headers name each other as their users do
    elseif(quote STREQUAL "\"")
      report(${file} "${content}" "${needle}" "write \"${path}\" as a path from the repository's root")
    endif()

    foreach(library IN LISTS libraries)
      string(FIND "${path}" "${library}" position)
      if(position EQUAL 0 AND NOT file MATCHES "${allowed_${library}}")
        report(${file} "${content}" "${needle}" "<${path}> is not for this file (allowed: ${allowed_${library}})")
      endif()
    endforeach()
  endforeach()
endforeach()

if(violations)
  list(LENGTH violations count)
  list(JOIN violations "\n" text)
  # One write, unwrapped: message(FATAL_ERROR) would reflow the lines.
  message(NOTICE "${text}")
  message(FATAL_ERROR "${count} forbidden dependencies or sizes")
endif()
message(STATUS "${file_count} files, ${include_count} includes: all edges allowed")
