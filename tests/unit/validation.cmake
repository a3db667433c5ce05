ooc_test(validation unit
  SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/validation_expression_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/validation_read_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/validation_judge_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/validation_writers_test.cpp
  LINK ooc_writers)
