ooc_test(closed_forms property SOURCES closed_forms_test.cpp
  LINK ooc_analytic ooc_engine)
