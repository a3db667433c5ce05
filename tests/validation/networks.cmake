ooc_test(networks validation SOURCES networks_test.cpp
  LINK ooc_network)
