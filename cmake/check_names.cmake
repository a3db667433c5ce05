# One definition per type, as a test: fails, naming both places, where two headers of the repository
# define a type of the same name in the same namespace. Programs may then hold both, and the linker keeps
# one of their destructors and containers for the two, without a word.
#   cmake -DROOT=<repository> -P cmake/check_names.cmake
# Looks at definitions that begin a line, as clang-format writes them; types within types do not count.
cmake_minimum_required(VERSION 3.25)

set(violations "")
set(count 0)
foreach(folder model simulator reports calibrate cli tests)
  file(GLOB_RECURSE headers RELATIVE ${ROOT} ${ROOT}/${folder}/*.hpp)
  list(FILTER headers EXCLUDE REGEX /structure_data/)  # wrong on purpose
  list(SORT headers)
  foreach(header IN LISTS headers)
    file(READ ${ROOT}/${header} content)
    string(REGEX MATCH "\nnamespace ([a-z_:]+) {" found "${content}")
    set(space "${CMAKE_MATCH_1}")
    string(REGEX MATCHALL "\n(struct|class|union|enum class) [A-Za-z0-9_]+( final)?( :[^;{]*)? {" types
      "${content}")
    foreach(type IN LISTS types)
      string(REGEX REPLACE "^\n(struct|class|union|enum class) ([A-Za-z0-9_]+).*" "\\2" name "${type}")
      math(EXPR count "${count} + 1")
      set(key "${space}::${name}")
      if(DEFINED "first_${key}")
        list(APPEND violations "${header}: ${key} is defined in ${first_${key}} too")
      else()
        set("first_${key}" ${header})
      endif()
    endforeach()
  endforeach()
endforeach()

if(count EQUAL 0)
  message(FATAL_ERROR "${ROOT}: no type found")
endif()
foreach(violation IN LISTS violations)
  message(SEND_ERROR "${violation}")
endforeach()
if(NOT violations)
  message(STATUS "${count} types, each defined once")
endif()
