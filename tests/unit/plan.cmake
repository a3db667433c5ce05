# The plan: building, text form, validation.
ooc_test(plan unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/plan_builder_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/plan_text_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/plan_validate_test.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/hand_graph.cpp
          ${PROJECT_SOURCE_DIR}/tests/support/naive_plan_text.cpp
  LINK ooc_plan fmt::fmt)
