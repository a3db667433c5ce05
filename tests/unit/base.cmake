ooc_test(base unit
  SOURCES base_quantities_test.cpp base_json_test.cpp
    base_view_test.cpp
  LINK ooc_base)
