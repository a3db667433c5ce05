// Several schedules for one job, compared:
//     compare(request), compare_machines(request)
#pragma once

#include "simulator/predict/compare.hpp"
