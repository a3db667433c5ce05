# Warnings as errors, for every target of ours. Not among them: -Wnull-dereference, which GCC 12 gets wrong
# inside the standard library at every level of optimisation (the sanitizers see what is meant).
add_library(ooc_warnings INTERFACE)
target_compile_options(ooc_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wdouble-promotion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # In code that comes from a precompiled header it reports writes past the end of std::vector and std::string.
  target_compile_options(ooc_warnings INTERFACE -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  # GCC 12 believes at -O3 that `"text" + std::string` overlaps itself (its bug 105329); clang still checks.
  target_compile_options(ooc_warnings INTERFACE -Wno-restrict)
  # It reports false positives of this one inside the standard library: under sanitizers, and for lists of structs
  # with strings.
  target_compile_options(ooc_warnings INTERFACE -Wno-maybe-uninitialized)
endif()
