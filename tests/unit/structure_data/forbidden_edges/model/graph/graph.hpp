// Boost belongs into the .cpp beside this header; model/base is two edges away and allowed.
#pragma once
#include <boost/graph/adjacency_list.hpp>
#include "model/base/units.hpp"
