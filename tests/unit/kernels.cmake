ooc_test(kernels unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/kernels_price_test.cpp
  LINK ooc_kernels)
ooc_test(kernel_cost unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/kernel_cost_test.cpp
  LINK ooc_cost)
