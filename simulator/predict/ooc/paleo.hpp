// The whole library, for programs of your own (examples/):
//  ``    find_package(ooc-paleo) and target_link_libraries(... ooc-paleo::ooc-paleo)
// The library neither prints nor exits. Bad input throws SpecError with file, place, found and expected. A job that
// does not fit is a report, not an error. Any number of threads may call the library at once.
#pragma once

#include "simulator/predict/case.hpp"  // read_workload(path, options), read_machine(path), make_case(...)
#include "simulator/predict/compare.hpp"  // compare(case, schedules), compare_machines(request), what_if(...)
#include "simulator/predict/scheduled_case.hpp"  // predict(case, schedule)
#include "simulator/predict/solve.hpp"  // solve(request): the smallest link, the largest batch
#include "simulator/predict/sweep.hpp"  // run_sweep(job, sink): every combination, row by row
#include "simulator/schedules/move_candidates.hpp"  // find_candidates(graph), plan_moving(problem, tensors)
#include "simulator/schedules/own_options.hpp"  // options.own.change().max_swaps = 3
#include "simulator/schedules/schedule.hpp"     // find_schedule(name), schedules(), Schedule
