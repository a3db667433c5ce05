# Warnings as errors, for every target of ours.
add_library(ooc_warnings INTERFACE)
target_compile_options(ooc_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wnull-dereference -Wdouble-promotion -Werror)
# GCC 12 reports false positives of this one inside the standard library under sanitizers.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_FLAGS MATCHES "fsanitize")
  target_compile_options(ooc_warnings INTERFACE -Wno-null-dereference -Wno-maybe-uninitialized)
endif()
# GCC 12 believes at -O3 that `"text" + std::string` overlaps itself (its bug 105329), and that
# std::vector::insert may write through a null pointer; clang and the other build types still check.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(ooc_warnings INTERFACE -Wno-restrict
    $<$<CONFIG:Release>:-Wno-null-dereference>)
endif()
