#include "graph.hpp"

#include <fmt/format.h>
