ooc_test(validation unit
  SOURCES
    validation_figures_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/validation_measured_test.cpp
  LINK ooc_writers)
