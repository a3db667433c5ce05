# ooc_layer(<name> [HOT] SOURCES ... [LINK ooc_<other> ...] [PRIVATE_LINK ...])
# One static library per second-level folder, linked exactly along the edges of docs/architecture.md. HOT: sweeps and
# searches spend their time in it, so Release optimizes it fully.
function(ooc_layer name)
  cmake_parse_arguments(arg "HOT" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(ooc_${name} STATIC ${arg_SOURCES})
  target_include_directories(ooc_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/ooc-paleo>)
  target_link_libraries(ooc_${name} PUBLIC ${arg_LINK}
    PRIVATE $<BUILD_INTERFACE:ooc_warnings> fmt::fmt ${arg_PRIVATE_LINK})
  ooc_compile_quickly(ooc_${name})
  if(NOT arg_HOT)
    ooc_optimize_lightly(ooc_${name})
  endif()
endfunction()

# ooc_compile_quickly(<target>)
# What is included everywhere is compiled once (OOC_PRECOMPILE), and, where nobody edits (OOC_UNITY, presets
# release, asan and clang), the files of a folder in a few pieces: headers are read once a piece and templates made
# once. Pieces of 24 files took half the processor time of pieces of 8 with the named tables apart, pieces of 64 a tenth
# less. So names in the anonymous namespaces of a folder's files must differ, those of named tables
# (named_table.cmake) included.
function(ooc_compile_quickly target)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${OOC_UNITY} UNITY_BUILD_BATCH_SIZE 64)
  ooc_check_by_calls(${target})
  if(OOC_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ooc_precompiled)
  endif()
endfunction()

# ooc_check_by_calls(<target>)
# Under AddressSanitizer (preset asan, the one of type Debug) checks are calls: a quarter less to compile.
function(ooc_check_by_calls target)
  target_compile_options(${target} PRIVATE
    $<$<AND:$<CONFIG:Debug>,$<CXX_COMPILER_ID:GNU>>:--param=asan-instrumentation-with-call-threshold=0>)
endfunction()

# ooc_optimize_lightly(<target>)
# In Release three quarters of the time to compile go into optimizing: -O1 spares a third, -Og a fifth of the rest. Sweeps
# are a twentieth slower for it.
function(ooc_optimize_lightly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
endfunction()

if(OOC_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The compiler's own garbage collection took a tenth of the time of such pieces.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=1000000>)
endif()

if(OOC_PRECOMPILE)
  # A library because headers are compiled along with something.
  file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cpp "// Made by cmake/layer.cmake.\n")
  add_library(ooc_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(ooc_precompiled PRIVATE ooc_warnings fmt::fmt)
  target_precompile_headers(ooc_precompiled PRIVATE
    <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <numeric> <optional> <span> <string>
    <string_view> <utility> <variant> <vector> <fmt/format.h>)
endif()
