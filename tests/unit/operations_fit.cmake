ooc_test(operations_fit unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/operations_fit_test.cpp ${CMAKE_CURRENT_LIST_DIR}/operations_machines_test.cpp
  LINK ooc_fit)
