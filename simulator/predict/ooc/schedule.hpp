// Schedules: shipped ones by name, and the parts for a schedule of your own:
//     find_schedule(name), schedules(), Schedule, find_candidates(graph), plan_moving(problem, tensors)
// Options of single schedules are set by, for example, options.own.change().max_swaps = 3.
#pragma once

#include "simulator/schedules/move_candidates.hpp"
#include "simulator/schedules/own_options.hpp"
#include "simulator/schedules/schedule.hpp"
