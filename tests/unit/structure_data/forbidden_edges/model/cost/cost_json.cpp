#include <nlohmann/json.hpp>
#include "model/graph/graph.hpp"
#include "simulator/engine/simulate.hpp"
