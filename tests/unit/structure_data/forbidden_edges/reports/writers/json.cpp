#include <yaml-cpp/yaml.h>
#include <nlohmann/json.hpp>
