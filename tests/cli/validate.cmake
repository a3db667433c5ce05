# `validate` from outside: shipped rows, rows of one's own, bad ones, and replays on the fake device.
ooc_test(validate cli
  SOURCES validate_test.cpp
  LINK ooc_test_support nlohmann_json::nlohmann_json
  RUNS ooc-paleo ooc-paleo-gpu-stub)
