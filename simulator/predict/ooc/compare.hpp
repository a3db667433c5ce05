// Several schedules for one job, compared:
//     compare(case, schedules), compare_machines(request)
#pragma once

#include "simulator/predict/compare.hpp"
