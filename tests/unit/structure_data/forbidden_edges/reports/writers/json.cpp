#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
