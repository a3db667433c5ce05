// Schedules: the shipped ones by name, and what a schedule of one's own is made of.
//     find_schedule(name), schedules(), Schedule, find_candidates(graph), plan_moving(problem, tensors)
#pragma once

#include "simulator/schedules/move_candidates.hpp"
#include "simulator/schedules/own_options.hpp"
#include "simulator/schedules/plan_moving.hpp"
#include "simulator/schedules/schedule.hpp"
