ooc_test(replay_report unit
  SOURCES replay_report_test.cpp
  LINK ooc_hardware ooc_writers ooc_engine ooc_schedules)
