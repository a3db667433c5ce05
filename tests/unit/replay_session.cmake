ooc_test(replay_session unit
  SOURCES replay_session_test.cpp
    replay_log_test.cpp
  LINK ooc_session)
