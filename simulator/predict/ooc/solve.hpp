// Smallest link, memory or rate that makes a job as fast as asked; largest batch that runs:
//     solve(request)
#pragma once

#include "simulator/predict/solve.hpp"
