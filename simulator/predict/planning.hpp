// Plans a job under a schedule, ready for simulation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/sub_batch.hpp"

namespace ooc {

/// Returns the budget of the simulation: no limit for accountings by footprint, which have judged the job before.
[[nodiscard]] Bytes simulated_budget(const Case& which);

/// Facts of a job that decide which passes plan it and which combinations are refused.
struct PassJob {
  int devices = 1;
  Accounting accounting = Accounting::kLiveness;
  const Framework& framework;
  const ScheduleOptions& options;
  const HardwareProfile& hardware;
  const StateOptions* state = nullptr;  ///< null: no model states in host memory
  const Schedule* schedule = nullptr;   ///< null: no schedule chosen yet
};
[[nodiscard]] PassJob pass_job(const Case& which, const Schedule* schedule);
[[nodiscard]] PassJob pass_job(const CaseOptions& options, const HardwareProfile& hardware,
                               const Schedule* schedule);

/// Option that a pass cannot be combined with. Texts for the error message.
struct Exclusion {
  bool holds;        ///< true if this job has the option
  std::string with;  ///< option as typed: "--devices 2"
  std::string remedy;
  std::string why;
};

/// One way to rewrite a job's iteration before planning: devices, micro-batches, model states, pages. The first pass of
/// the table in planning.cpp that the job asks for makes the plan and calls the next ones.
struct Pass {
  std::string (*asked)(
      const PassJob& job);  ///< option that asks for it, as typed; empty: none does
  std::vector<Exclusion> (*without)(const PassJob& job);  ///< null: any combination is allowed
  PlannedIteration (*plan)(const Case& which, const Schedule& schedule, Bytes budget);
  bool keeps_gradients = false;  ///< true: gradients stay allocated in all of the iteration
};

/// Throws SpecError for passes that cannot be combined.
void check_passes(const PassJob& job);

/// Returns the plan of the job through all passes. Throws SpecError for options that cannot be combined.
[[nodiscard]] PlannedIteration plan_job(const Case& which, const Schedule& schedule, Bytes budget);

/// Returns the input of make_plan. Trial runs use the job's allocator and its framework's copy
/// rules. A trial that overflows host memory counts as blocked.
[[nodiscard]] PlanningProblem problem_of(const Case& which, const TrainingGraph& graph,
                                         const CostTable& costs, Bytes budget);

/// Returns costs of the case at `batch` samples (a micro-batch), transfers included.
[[nodiscard]] CostTable round_costs(const Case& which, std::int64_t batch);

/// Returns --sub-batch, else the schedule's default. Accountings without lifetimes have no micro-batches.
[[nodiscard]] SubBatch sub_batch_of(Accounting accounting, const ScheduleOptions& options,
                                    const Schedule& schedule);
[[nodiscard]] SubBatch sub_batch_of(const Case& which, const Schedule& schedule);

/// Throws SpecError at --devices if there are fewer samples than devices.
void check_devices_of_batch(int devices, std::int64_t batch);

}  // namespace ooc
