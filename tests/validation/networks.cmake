ooc_test(networks validation SOURCES ${CMAKE_CURRENT_LIST_DIR}/networks_test.cpp
  LINK ooc_network)
