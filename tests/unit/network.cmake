ooc_test(network unit
  SOURCES network_support.cpp network_read_test.cpp
    network_repeat_test.cpp network_paleo_test.cpp network_parts_test.cpp network_ties_test.cpp network_symbols_test.cpp network_import_test.cpp network_family_test.cpp network_adapters_test.cpp
  LINK ooc_network)
set_property(TEST unit.network PROPERTY COST 90)
