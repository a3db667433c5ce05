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
void check_passes(const CaseOptions& options, const HardwareProfile& hardware,
                  const Schedule* schedule);

/// Returns the plan of the job through all passes. Throws SpecError for options that cannot be combined.
[[nodiscard]] PlannedIteration plan_job(const Case& which, const Schedule& schedule, Bytes budget);

/// True if tensors of these costs, all together, exceed host memory.
[[nodiscard]] bool may_overflow_far(const Case& which, const CostTable& costs);

/// Returns the input of make_plan. Trial runs use the job's allocator and its framework's copy
/// rules. A trial that overflows host memory counts as blocked.
[[nodiscard]] PlanningProblem problem_of(const Case& which, const TrainingGraph& graph,
                                         const CostTable& costs, Bytes budget);

/// Returns costs of the case at `batch` samples (a micro-batch), transfers included.
[[nodiscard]] CostTable round_costs(const Case& which, std::int64_t batch);

/// Returns --sub-batch; if it is not given, kAuto for Trait::kSubBatches, else kOff. Always kOff with is_footprint().
[[nodiscard]] SubBatch sub_batch_of(Accounting accounting, const ScheduleOptions& options,
                                    const Schedule& schedule);
[[nodiscard]] SubBatch sub_batch_of(const Case& which, const Schedule& schedule);

/// Throws SpecError at --devices if there are fewer samples than devices.
void check_devices_of_batch(int devices, std::int64_t batch);

// Model states in host memory (model/rewrite/state.hpp): checks, plans and bounds.

/// Share of host memory's throughput that optimiser updates on the host reach, if neither profile nor flag says: 45 %.
inline constexpr Ratio kFarComputeShare(450'000'000);

/// Returns the rate of optimiser updates on the host: --far-compute; else the profile's; else kFarComputeShare of host
/// memory's rate, at most StateOptions::update_limit. All but --far-compute are limited by what the processes reach.
[[nodiscard]] FarCompute far_compute_of(const HardwareProfile& hardware, const CaseOptions& options,
                                        const StateOptions& state);

/// Sets Case::moving.
void add_moving_state(Case& made, const CaseOptions& options);

/// Functions of the pass for model states in host memory.
[[nodiscard]] std::string asks_moving_state(const PassJob& job);
[[nodiscard]] std::vector<Exclusion> moving_state_without(const PassJob& job);
/// Removes schedules whose plans cannot include copies of model states.
void keep_carriers(std::vector<const Schedule*>& schedules);

/// Returns `of` with states that move as `moving`, which is made of its graph, and the costs of their copies.
[[nodiscard]] Iteration with_state(const Case& which,
                                   const std::shared_ptr<const MovingState>& moving,
                                   const Iteration& of);
/// Precondition: which.moving.
[[nodiscard]] PlannedIteration plan_with_state(const Case& which, const Schedule& schedule,
                                               Bytes budget);

enum class TaskOrder { kAny, kOnce };
/// Returns a lower bound for any schedule with these states in host memory: the copies of each
/// direction; far updates one after another, after the last gradient if they wait for all. Far
/// weights arrive once, or with kOnce as often as their windows require.
[[nodiscard]] Duration state_bound(const MovingState& state, const CostTable& costs,
                                   TaskOrder order);

/// Returns a text such as "optimizer:0.5,gradients; update far, after each".
[[nodiscard]] std::string state_text(const StateOptions& options);

/// Describes model states in host memory in the report's text fields.
void add_state_words(const Case& which, RunReport& report);

// Schedules that move pages (Trait::kMovesPages). Their graphs have parts of tensors and slices of tasks. Such schedules
// need certain copy modes of a profile.

/// Returns the plan; `iteration` has the graph and costs of tensor parts and is set if there is a plan.
[[nodiscard]] PlannedIteration plan_in_pages(const Case& which, const Schedule& schedule,
                                             Bytes budget);
/// Functions of the pass for schedules that move pages.
[[nodiscard]] std::string asks_pages(const PassJob& job);
[[nodiscard]] std::vector<Exclusion> pages_without(const PassJob& job);

/// Returns "unified_prefetch" for schedules that prefetch pages, "unified_fault" for others that move pages, else `given`.
[[nodiscard]] std::string transfer_mode(const Schedule& schedule, const std::string& given);
/// Throws SpecError if the profile lacks a mode that the schedule needs.
void check_modes(const Schedule& schedule, const Machine& machine);
/// Returns the first needed mode that the profile lacks; empty if it has all.
[[nodiscard]] std::string missing_mode(const Schedule& schedule, const HardwareProfile& hardware);

}  // namespace ooc
