# Can any network, budget or link break a law of the schedules and the bounds?
set(random_network_sources ${PROJECT_SOURCE_DIR}/tests/support/random_networks.cpp)
set(naive_sources ${PROJECT_SOURCE_DIR}/tests/support/naive_simulator.cpp
                  ${PROJECT_SOURCE_DIR}/tests/support/naive_plan_text.cpp)
ooc_test(schedules property
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/schedules_test.cpp ${random_network_sources} ${naive_sources}
  LINK ooc_engine ooc_schedules fmt::fmt)
ooc_test(bounds property
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/bounds_test.cpp ${random_network_sources}
  LINK ooc_engine ooc_schedules fmt::fmt)
ooc_test(chains property
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/chains_test.cpp ${random_network_sources}
  LINK ooc_engine ooc_schedules fmt::fmt)
