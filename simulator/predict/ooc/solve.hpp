// The smallest link, memory or rate that makes a job as fast as asked, the largest batch that runs.
//     solve(request)
#pragma once

#include "simulator/predict/solve.hpp"
