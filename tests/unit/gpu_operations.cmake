# The operations of compute=real on the stub device: their numbers, their keys, their times.
ooc_test(gpu_operations unit
  SOURCES gpu_operations_bench.cpp
          gpu_operations_elements_test.cpp
          gpu_operations_images_test.cpp
          gpu_operations_keys_test.cpp
          gpu_operations_norms_test.cpp
          gpu_operations_weights_test.cpp
  LINK ooc_gpu_stub)
# Float tensors against references in double: that promotion is what the tests are about. A property of the
# sources, because it comes behind the warnings on the command line.
set_source_files_properties(
  gpu_operations_bench.cpp
  gpu_operations_elements_test.cpp
  gpu_operations_images_test.cpp
  gpu_operations_norms_test.cpp
  gpu_operations_weights_test.cpp
  PROPERTIES COMPILE_OPTIONS -Wno-double-promotion)
