ooc_test(capacity_anomaly golden
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/capacity_anomaly_test.cpp ${PROJECT_SOURCE_DIR}/tests/support/random_networks.cpp
  LINK ooc_engine ooc_schedules fmt::fmt)
