ooc_test(replay_session unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/replay_session_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/replay_log_test.cpp
  LINK ooc_session)
