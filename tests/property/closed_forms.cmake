ooc_test(closed_forms property SOURCES ${CMAKE_CURRENT_LIST_DIR}/closed_forms_test.cpp
  LINK ooc_analytic ooc_engine)
