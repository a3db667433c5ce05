ooc_test(reports unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/reports_summary_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/reports_memory_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/reports_text_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/reports_data_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/reports_trace_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/reports_runs_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/reports_provenance_test.cpp
  LINK ooc_hardware ooc_writers ooc_engine ooc_schedules nlohmann_json::nlohmann_json)
