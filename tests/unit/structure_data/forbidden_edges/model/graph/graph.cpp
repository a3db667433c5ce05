#include "graph.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <fmt/format.h>
