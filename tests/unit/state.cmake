ooc_test(state unit
  SOURCES state_test.cpp
  LINK ooc_test_support ooc_predict)
