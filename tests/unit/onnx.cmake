ooc_test(onnx unit SOURCES onnx_layers_test.cpp onnx_refusals_test.cpp LINK ooc_onnx)
