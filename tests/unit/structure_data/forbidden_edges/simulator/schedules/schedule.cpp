#include "simulator/engine/simulate.hpp"
#include "model/base/units.hpp"
#include <nlohmann/json.hpp>
