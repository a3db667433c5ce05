ooc_test(validation unit
  SOURCES
    validation_expression_test.cpp
    validation_read_test.cpp
    validation_judge_test.cpp
    validation_writers_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/validation_measured_test.cpp
  LINK ooc_writers)
