// Plans a job under a schedule, ready for simulation.
#pragma once

#include <cstdint>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/sub_batch.hpp"

namespace ooc {

/// True for accountings without lifetimes.
[[nodiscard]] bool is_footprint(Accounting accounting);
/// Budget of the simulation. A footprint was judged before, so its plan runs without limit.
[[nodiscard]] Bytes simulated_budget(const Case& which);

/// SpecError for what cannot be combined.
[[nodiscard]] PlannedIteration plan_job(const Case& which, const Schedule& schedule, Bytes budget);

/// What a schedule is handed. Trials run with the job's own allocator and copies that wait, as the plan itself will. A
/// plan that overflows far memory does not run.
[[nodiscard]] PlanningProblem problem_of(const Case& which, const TrainingGraph& graph,
                                         const CostTable& costs, Bytes budget);

/// Costs of the case at `batch` samples, transfers included.
[[nodiscard]] CostTable round_costs(const Case& which, std::int64_t batch);

/// What --sub-batch says, else what the schedule does. Accountings without lifetimes know no rounds.
[[nodiscard]] SubBatch sub_batch_of(Accounting accounting, const ScheduleOptions& options,
                                    const Schedule& schedule);
[[nodiscard]] SubBatch sub_batch_of(const Case& which, const Schedule& schedule);

/// SpecError at --devices where there are fewer samples than devices.
void check_devices_of_batch(int devices, std::int64_t batch);

}  // namespace ooc
