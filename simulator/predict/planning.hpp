// Plans a job under a schedule, ready for simulation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulator/predict/case.hpp"
#include "simulator/schedules/sub_batch.hpp"

namespace ooc {

/// Returns the GPU memory of the simulation: the budget, or no limit with is_footprint(), where plan_job() checks it.
[[nodiscard]] Bytes simulated_budget(const Case& which);

/// Returns the compute time with the algorithms that fit `room` (fitting_algorithms()), which no plan of the schedule can be
/// quicker than; 0 without a room, and where tasks do not run as they are.
[[nodiscard]] Duration least_time(const Case& which, const Schedule& schedule,
                                  const std::optional<Bytes>& room);

/// Facts of a job that decide which passes (Pass) plan it and which combinations are refused.
struct PassJob {
  int devices = 1;
  Accounting accounting = Accounting::kLiveness;
  const Framework& framework;
  const ScheduleOptions& options;
  const HardwareProfile& hardware;
  const StateOptions* state = nullptr;  ///< null: model states do not move
  const Schedule* schedule = nullptr;   ///< null: no schedule chosen yet
};

/// Property of a job that a pass cannot be combined with, and texts for the error message.
struct Exclusion {
  bool holds;        ///< true if this job has the property
  std::string with;  ///< name of the property: "--devices 2", "micro-batches"
  std::string remedy;
  std::string why;
};

/// One way to plan a job that its schedule cannot plan alone: devices, model states, accountings by footprint, pages,
/// compression, micro-batches. The first pass of the table in planning.cpp that the job needs makes the plan.
struct Pass {
  /// Returns the option because of which the job needs this pass, such as "--devices 2"; empty: not needed.
  std::string (*asked)(const PassJob& job);
  std::vector<Exclusion> (*without)(const PassJob& job);  ///< null: nothing is excluded
  PlannedIteration (*plan)(const Case& which, const Schedule& schedule, Bytes budget);
  bool keeps_gradients = false;  ///< true: weight gradients are static, whatever the framework does
};

/// Throws SpecError for passes that cannot be combined. `schedule` null: checks what concerns any schedule.
void check_passes(const CaseOptions& options, const HardwareProfile& hardware,
                  const Schedule* schedule);

/// Returns the plan for `budget`, or what does not fit. Copies wait as the framework's do. Throws SpecError for options
/// that cannot be combined or planned.
[[nodiscard]] PlannedIteration plan_job(const Case& which, const Schedule& schedule, Bytes budget);

/// True if all tensors together exceed host memory; else no plan can. CopyRules::far_powers_of_two doubles their bytes.
[[nodiscard]] bool may_overflow_far(const Case& which, const CostTable& costs);

/// Returns the input of Schedule::make_plan. Its trial runs use the job's allocator and the framework's copy rules. A
/// trial that overflows host memory has no iteration time.
[[nodiscard]] PlanningProblem problem_of(const Case& which, const TrainingGraph& graph,
                                         const CostTable& costs, Bytes budget);

/// Returns the costs of the case at `batch` samples (of a micro-batch), copies included.
[[nodiscard]] CostTable round_costs(const Case& which, std::int64_t batch);

/// Returns --sub-batch or --accumulate; without them kAuto for Trait::kSubBatches, else kOff. Always kOff with
/// is_footprint(). Given a case, returns kSize for kCount; throws SpecError if the batch cannot be cut so.
[[nodiscard]] SubBatch sub_batch_of(Accounting accounting, const ScheduleOptions& options,
                                    const Schedule& schedule);
[[nodiscard]] SubBatch sub_batch_of(const Case& which, const Schedule& schedule);

/// Throws SpecError at --devices if there are fewer samples than devices.
void check_devices_of_batch(int devices, std::int64_t batch);

// Model states in host memory (model/rewrite/state.hpp): checks, plans and bounds.

/// 45 %: share of host memory's throughput that optimiser updates on the host reach if neither profile nor flag says.
inline constexpr Ratio kFarComputeShare(450'000'000);

/// Returns the rate of optimiser updates on the host, bytes read and written: --far-compute; else the profile's; else
/// kFarComputeShare of host memory's rate, at most update_limit. --host-threads and --adam limit all but the first.
[[nodiscard]] FarCompute far_compute_of(const HardwareProfile& hardware, const CaseOptions& options,
                                        const StateOptions& state);

/// Sets Case::moving by `options.state`, and Case::far_compute. Throws SpecError for --host-threads with --far-compute.
void add_moving_state(Case& made, const CaseOptions& options);

/// Pass::asked of model states that move: "--offload" or "--shard"; empty: all stay in GPU memory.
[[nodiscard]] std::string asks_moving_state(const PassJob& job);
[[nodiscard]] std::vector<Exclusion> moving_state_without(const PassJob& job);
/// Removes schedules without Trait::kCarriesState. If model states move, these run only if named, or not at all.
void keep_carriers(std::vector<const Schedule*>& schedules);

/// Returns iteration `of` on `moving->graph`, which was made from the graph of `of`; costs include copies, collectives.
[[nodiscard]] Iteration with_state(const Case& which,
                                   const std::shared_ptr<const MovingState>& moving,
                                   const Iteration& of);
/// Pass::plan of model states. Throws SpecError for micro-batches above the batch. Precondition: Case::moving is set.
[[nodiscard]] PlannedIteration plan_with_state(const Case& which, const Schedule& schedule,
                                               Bytes budget);

enum class TaskOrder { kAny, kOnce };
/// Returns a lower bound on the iteration time with these moving states, by copies out, copies in and updates on the
/// host. kAny: far weights come in once. kOnce, if no task is rerun: they come in once for each WeightStay.
[[nodiscard]] Duration state_bound(const MovingState& state, const CostTable& costs,
                                   TaskOrder order);

/// Returns a text on which states move and how: "optimizer:0.5,gradients; update far, after each".
[[nodiscard]] std::string state_text(const StateOptions& options);

/// If the host runs updates, sets StateReport::far_rate and `threads`, and notes an assumed rate in RunReport::assumed.
void add_state_words(const Case& which, RunReport& report);

// Schedules that move pages (Trait::kMovesPages). Their graphs have parts of tensors and slices of tasks.

/// Returns the plan and its iteration of parts of tensors (null: no plan). Throws SpecError for too many parts.
[[nodiscard]] PlannedIteration plan_in_pages(const Case& which, const Schedule& schedule,
                                             Bytes budget);
/// Pass::asked of schedules that move pages: "--schedule NAME"; empty: the schedule moves none.
[[nodiscard]] std::string asks_pages(const PassJob& job);
[[nodiscard]] std::vector<Exclusion> pages_without(const PassJob& job);

/// Returns "unified_prefetch" for schedules that prefetch pages, "unified_fault" for others that move pages; else the
/// job's own copy mode, `given`.
[[nodiscard]] std::string transfer_mode(const Schedule& schedule, const std::string& given);
/// Throws SpecError if the profile lacks a copy mode that the schedule needs (missing_mode).
void check_modes(const Schedule& schedule, const Machine& machine);
/// Returns the first copy mode that the schedule needs and the profile lacks; empty: none, as with one pool of memory.
[[nodiscard]] std::string missing_mode(const Schedule& schedule, const HardwareProfile& hardware);

}  // namespace ooc
