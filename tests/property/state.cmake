ooc_test(state property
  SOURCES state_test.cpp
  LINK ooc_test_support ooc_predict)
