ooc_test(layers unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/layers_support.cpp ${CMAKE_CURRENT_LIST_DIR}/layers_conv_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/layers_pool_test.cpp ${CMAKE_CURRENT_LIST_DIR}/layers_elementwise_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/layers_joins_test.cpp ${CMAKE_CURRENT_LIST_DIR}/layers_paleo_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/layers_sequence_test.cpp ${CMAKE_CURRENT_LIST_DIR}/layers_attention_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/layers_volume_test.cpp
  LINK ooc_layers)
