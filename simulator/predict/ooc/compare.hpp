// Several schedules for one job, set against one another.
//     compare(request), compare_machines(request)
#pragma once

#include "simulator/predict/compare.hpp"
#include "simulator/predict/compare_machines.hpp"
