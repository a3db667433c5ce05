# Can any network, budget or link break a law of the schedules and the bounds?
ooc_test(schedules property
  SOURCES schedules_test.cpp
  LINK ooc_test_support ooc_summary)
ooc_test(bounds property
  SOURCES bounds_test.cpp
  LINK ooc_test_support)
ooc_test(chains property
  SOURCES chains_test.cpp
  LINK ooc_test_support ooc_summary)
set_property(TEST property.schedules PROPERTY COST 85)
