// How long one iteration takes under one schedule, and why.
//     predict(case, schedule), what_if(...)
#pragma once

#include "simulator/predict/case.hpp"
#include "simulator/predict/what_if.hpp"
