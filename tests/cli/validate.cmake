# `validate` from outside: shipped rows, rows of one's own, bad ones.
ooc_test(validate cli
  SOURCES validate_test.cpp
  LINK ooc_test_support nlohmann_json::nlohmann_json
  RUNS ooc-paleo)
