# Do reports agree with the engine on whole networks?
ooc_test(reports_runs property SOURCES reports_runs_test.cpp
  LINK ooc_hardware ooc_writers ooc_engine ooc_schedules nlohmann_json::nlohmann_json)
