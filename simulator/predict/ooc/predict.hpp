// Time of one iteration under one schedule, with its causes:
//     predict(case, schedule), what_if(...)
#pragma once

#include "simulator/predict/compare.hpp"
#include "simulator/predict/scheduled_case.hpp"
