ooc_test(validation unit
  SOURCES
    validation_figures_test.cpp
  LINK ooc_writers)
