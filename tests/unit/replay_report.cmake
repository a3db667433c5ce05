ooc_test(replay_report unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/replay_report_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/replay_writers_test.cpp
  LINK ooc_hardware ooc_writers ooc_engine ooc_schedules nlohmann_json::nlohmann_json)
