// A lower layer that looks up, and a header that drags in fmt.
#pragma once

#include <vector>

#include <fmt/format.h>

#include "model/graph/graph.hpp"
