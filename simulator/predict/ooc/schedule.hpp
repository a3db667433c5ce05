// Schedules: the shipped ones by name, and what a schedule of one's own is made of.
//     find_schedule(name), schedules(), Schedule, find_candidates(graph), plan_moving(problem, tensors)
// An option that a single schedule reads is set by options.own.change().max_swaps = 3.
#pragma once

#include "simulator/schedules/move_candidates.hpp"
#include "simulator/schedules/own_options.hpp"
#include "simulator/schedules/plan_moving.hpp"
#include "simulator/schedules/schedule.hpp"
