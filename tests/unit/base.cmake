ooc_test(base unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/base_quantities_test.cpp ${CMAKE_CURRENT_LIST_DIR}/base_json_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/base_view_test.cpp
  LINK ooc_base)
