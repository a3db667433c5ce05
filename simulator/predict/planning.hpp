// Plans a job under a schedule, ready for simulation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/sub_batch.hpp"

namespace ooc {

/// Budget of the simulation. A footprint was judged before, so its plan runs without limit.
[[nodiscard]] Bytes simulated_budget(const Case& which);

/// Job as far as passes ask about it.
struct PassJob {
  int devices = 1;
  Accounting accounting = Accounting::kLiveness;
  const Framework& framework;
  const ScheduleOptions& options;
  const HardwareProfile& hardware;
  const StateOptions* state = nullptr;  ///< null: model states stay near
  const Schedule* schedule = nullptr;   ///< null: not known yet
};
[[nodiscard]] PassJob pass_job(const Case& which, const Schedule* schedule);
[[nodiscard]] PassJob pass_job(const CaseOptions& options, const HardwareProfile& hardware,
                               const Schedule* schedule);

/// What a pass cannot be combined with.
struct Exclusion {
  bool holds;        ///< for this job
  std::string with;  ///< as typed: "--devices 2"
  std::string remedy;
  std::string why;
};

/// Writes a job's iteration out as another one, and makes its plan. A table of passes, the outermost first, is all that
/// knows which of them there are; the first that is asked for plans, through the others.
struct Pass {
  std::string (*asked)(
      const PassJob& job);  ///< option that asks for it, as typed; empty: none does
  std::vector<Exclusion> (*without)(const PassJob& job);  ///< null: goes with all
  PlannedIteration (*plan)(const Case& which, const Schedule& schedule, Bytes budget);
  bool keeps_gradients = false;  ///< allocates them for all of the iteration
};

/// Throws SpecError for passes that cannot be combined.
void check_passes(const PassJob& job);

/// Throws SpecError for what cannot be combined.
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
