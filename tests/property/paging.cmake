# Do the schedules that move pages keep their laws when tensors are in parts and faults have a price?
ooc_test(paging property
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/paging_test.cpp ${PROJECT_SOURCE_DIR}/tests/support/random_networks.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/naive_simulator.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/naive_plan_text.cpp
  LINK ooc_engine ooc_schedules fmt::fmt)
