#include "model/graph/graph.hpp"
#include "simulator/engine/simulate.hpp"
