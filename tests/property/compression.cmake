ooc_test(compression property
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/compression_test.cpp
    ${PROJECT_SOURCE_DIR}/tests/support/random_networks.cpp ${PROJECT_SOURCE_DIR}/tests/support/naive_simulator.cpp
    ${PROJECT_SOURCE_DIR}/tests/support/naive_plan_text.cpp
  LINK ooc_engine ooc_schedules fmt::fmt)
