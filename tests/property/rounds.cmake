# Does an iteration in rounds keep the laws of schedules?
ooc_test(rounds property
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/rounds_test.cpp ${PROJECT_SOURCE_DIR}/tests/support/random_networks.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/naive_simulator.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/naive_plan_text.cpp
  LINK ooc_engine ooc_schedules fmt::fmt)
