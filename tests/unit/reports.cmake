ooc_test(reports unit
  SOURCES reports_summary_test.cpp
          reports_memory_test.cpp
          reports_text_test.cpp
          reports_data_test.cpp
          reports_paper_test.cpp
          reports_page_test.cpp
  LINK ooc_hardware ooc_writers ooc_engine ooc_schedules nlohmann_json::nlohmann_json)
