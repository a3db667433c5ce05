ooc_test(analytic unit SOURCES analytic_closed_forms.cpp LINK ooc_analytic)
