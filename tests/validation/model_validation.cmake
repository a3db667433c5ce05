ooc_test(published_memory validation SOURCES published_memory_test.cpp
  LINK ooc_schedules ooc_engine)
ooc_test(paleo validation SOURCES paleo_test.cpp LINK ooc_cost)
