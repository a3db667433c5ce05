ooc_test(capacity_anomaly golden
  SOURCES capacity_anomaly_test.cpp
  LINK ooc_test_support)
