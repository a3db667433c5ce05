# The repository's own shape: dependency edges, self-contained headers. The checks are CMake scripts
# (cmake/check_*.cmake); each has a second test which shows, on a small tree made wrong on purpose, that
# it can fail.
set(data ${CMAKE_CURRENT_LIST_DIR}/structure_data)
set(check_headers ${CMAKE_COMMAND} -DCOMPILER=${CMAKE_CXX_COMPILER})

add_test(NAME structure.layers
  COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/check_layers.cmake)
add_test(NAME structure.layers_finds_forbidden_edges
  COMMAND ${CMAKE_COMMAND} -DTREE=${data}/forbidden_edges -P ${PROJECT_SOURCE_DIR}/cmake/check_layers_test.cmake)

add_test(NAME structure.headers
  COMMAND ${check_headers} -DROOT=${PROJECT_SOURCE_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/check_headers.cmake)
add_test(NAME structure.headers_finds_greedy_header
  COMMAND ${check_headers} -DROOT=${data}/greedy_headers -P ${PROJECT_SOURCE_DIR}/cmake/check_headers.cmake)
set_tests_properties(structure.headers_finds_greedy_header PROPERTIES
  PASS_REGULAR_EXPRESSION "not self-contained: model/base/greedy.hpp")

set_tests_properties(structure.layers structure.layers_finds_forbidden_edges structure.headers
  structure.headers_finds_greedy_header PROPERTIES LABELS structure TIMEOUT 300)
