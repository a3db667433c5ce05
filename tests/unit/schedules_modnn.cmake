ooc_test(schedules_modnn unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/schedules_modnn_test.cpp ${PROJECT_SOURCE_DIR}/tests/support/hand_graph.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/random_networks.cpp
  LINK ooc_engine ooc_schedules fmt::fmt)
ooc_test(sub_batch unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/sub_batch_test.cpp ${PROJECT_SOURCE_DIR}/tests/support/random_networks.cpp
  LINK ooc_schedules fmt::fmt)
ooc_test(address_space unit SOURCES ${CMAKE_CURRENT_LIST_DIR}/address_space_test.cpp LINK ooc_schedules)
