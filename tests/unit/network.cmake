ooc_test(network unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/network_support.cpp ${CMAKE_CURRENT_LIST_DIR}/network_read_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/network_repeat_test.cpp ${CMAKE_CURRENT_LIST_DIR}/network_parts_test.cpp
  LINK ooc_network)
