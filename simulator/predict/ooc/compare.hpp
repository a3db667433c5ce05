// Several schedules for one job, set against one another.
//     compare(request)
#pragma once

#include "simulator/predict/compare.hpp"
