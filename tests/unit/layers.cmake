ooc_test(layers unit
  SOURCES layers_support.cpp layers_conv_test.cpp layers_elementwise_test.cpp
    layers_joins_test.cpp layers_paleo_test.cpp
    layers_sequence_test.cpp layers_transformer_test.cpp
  LINK ooc_layers ooc_graph)
