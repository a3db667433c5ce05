# The repository's own shape: dependency edges, self-contained headers, one definition per name. The checks
# are CMake scripts (cmake/check_*.cmake); each has a second test which shows, on a small tree made wrong on purpose, that
# it can fail.
set(data ${CMAKE_CURRENT_LIST_DIR}/structure_data)

add_test(NAME structure.size COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/check_size.cmake)
set_tests_properties(structure.size PROPERTIES LABELS structure)
add_test(NAME structure.layers
  COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/check_layers.cmake)
add_test(NAME structure.layers_finds_forbidden_edges
  COMMAND ${CMAKE_COMMAND} -DTREE=${data}/forbidden_edges -P ${PROJECT_SOURCE_DIR}/cmake/check_layers_test.cmake)
add_test(NAME structure.names
  COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/check_names.cmake)
add_test(NAME structure.names_finds_two_definitions
  COMMAND ${CMAKE_COMMAND} -DROOT=${data}/two_definitions -P ${PROJECT_SOURCE_DIR}/cmake/check_names.cmake)
set_tests_properties(structure.names_finds_two_definitions PROPERTIES
  PASS_REGULAR_EXPRESSION "two.hpp: ooc::Twice is defined in model/base/one.hpp too")
set(names structure.layers structure.layers_finds_forbidden_edges structure.names
  structure.names_finds_two_definitions)

# scripts/demo must configure where only its own packages are installed: doctest is not. Its one target makes all that
# `cmake --install` wants.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_test(NAME structure.demo_without_doctest COMMAND bash -euc
    "source scripts/lib.sh; cmake -G Ninja -S . -B \"$1\" $(tests_option release ooc-paleo) -DCMAKE_CXX_COMPILER=\"$2\" -DCMAKE_DISABLE_FIND_PACKAGE_doctest=ON; grep -c 'POST_BUILD = .*completion zsh > .*/_ooc-paleo' \"$1\"/build.ninja"
    bash ${PROJECT_BINARY_DIR}/without_doctest ${CMAKE_CXX_COMPILER})
  set_tests_properties(structure.demo_without_doctest PROPERTIES WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  list(APPEND names structure.demo_without_doctest)
endif()

# headers_test(<name> <root> <folder>)
function(headers_test name root folder)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -DROOT=${root} -DFOLDER=${folder}
    -DCOMPILER=${CMAKE_CXX_COMPILER} -P ${PROJECT_SOURCE_DIR}/cmake/check_headers.cmake)
  set_property(TEST ${name} PROPERTY COST 100)  # the longest tests start first
  set(names ${names} ${name} PARENT_SCOPE)
endfunction()
# Of what users include; a source file includes its own header first.
headers_test(structure.headers ${PROJECT_SOURCE_DIR} simulator/predict/ooc)
headers_test(structure.headers_finds_greedy_header ${data}/greedy_headers model)
set_tests_properties(structure.headers_finds_greedy_header PROPERTIES
  PASS_REGULAR_EXPRESSION "not self-contained: model/base/greedy.hpp")

set_tests_properties(${names} PROPERTIES LABELS structure TIMEOUT 300)
