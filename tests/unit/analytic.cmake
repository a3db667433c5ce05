ooc_test(analytic unit SOURCES ${CMAKE_CURRENT_LIST_DIR}/analytic_closed_forms.cpp LINK ooc_analytic)
