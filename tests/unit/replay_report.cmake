ooc_test(replay_report unit
  SOURCES replay_report_test.cpp
    replay_writers_test.cpp
  LINK ooc_hardware ooc_writers ooc_engine ooc_schedules nlohmann_json::nlohmann_json)
