# `replay` end to end against the measuring program on its fake device, and against recordings.
ooc_test(replay cli
  SOURCES replay_test.cpp
    replay_parts_test.cpp
  LINK ooc_test_support ooc_cli nlohmann_json::nlohmann_json
  RUNS ooc-paleo ooc-paleo-gpu-stub)
set_property(TEST cli.replay PROPERTY COST 80)
