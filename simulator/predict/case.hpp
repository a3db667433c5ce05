// One prediction from its names to its report: load, build, estimate, plan, simulate, bound,
// summarise. The one case runner behind predict, its what-ifs, compare, inspect and sweep; it
// neither parses flags nor prints.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/base/dtype.hpp"
#include "model/base/errors.hpp"
#include "model/base/precision.hpp"
#include "model/base/spec_symbols.hpp"
#include "model/base/spec_tree.hpp"
#include "model/cost/compute_cost.hpp"
#include "model/cost/cost_table.hpp"
#include "model/cost/transfer_cost.hpp"
#include "model/graph/build_training_graph.hpp"
#include "model/graph/training_graph.hpp"
#include "model/hardware/hardware_profile.hpp"
#include "model/hardware/profile_json.hpp"
#include "model/network/adapters.hpp"
#include "model/network/import_config.hpp"
#include "model/network/network.hpp"
#include "model/network/network_json.hpp"
#include "model/rewrite/data_parallel.hpp"
#include "model/rewrite/rounds.hpp"
#include "model/rewrite/state.hpp"
#include "model/software/framework.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/plan/bounds.hpp"
#include "simulator/plan/join_devices.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/schedules/schedule.hpp"
#include "simulator/summary/memory_use.hpp"
#include "simulator/summary/paper_estimate.hpp"
#include "simulator/summary/run_report.hpp"
#include "simulator/summary/summarize.hpp"

namespace ooc {

/// What flags say of how state moves, whatever preset or list says what does.
struct StateChanges {
  std::optional<UpdateAt> update = {};
  std::optional<UpdateAfter> after = {};
  std::optional<bool> delayed = {};
  std::optional<int> prefetch = {};
  std::optional<int> gradient_slots = {};
  std::optional<std::int64_t> gradient_bytes = {};
  std::optional<StateUnits> units = {};
  std::optional<bool> in_backward = {};
  std::optional<AccumulateAt> accumulate = {};

  [[nodiscard]] bool operator==(const StateChanges&) const = default;
};

/// What one prediction depends on beside network, machine and schedule.
struct CaseOptions {
  std::optional<std::int64_t> batch;
  bool per_sample = false;  ///< one sample where neither `batch` nor the network says how many
  std::optional<Bytes> memory;
  std::optional<Bytes> far_memory = {};  ///< its capacity; none: the profile's
  std::optional<Dtype> dtype;            ///< none: the network file's
  std::optional<Precision> precision = {};
  std::optional<std::int64_t> copies =
      {};                                 ///< of the network's repeat that scales; none: the file's
  std::vector<SymbolValue> symbols = {};  ///< in place of the network file's
  bool long_sequences = false;            ///< NetworkOptions::long_sequences
  std::vector<std::string> families = {};     ///< of a config: folders of family files
  std::optional<ImportKernels> kernels = {};  ///< of a config; none: sdpa
  std::string loss = {};                      ///< of a config; empty: by the kernels
  std::optional<AdapterOptions> adapters = {};
  GraphOptions graph;
  ComputeModel compute = ComputeModel::kNative;
  std::optional<Ratio> compute_scale = {};  ///< so many times the machine's rates
  TransferOptions transfers;
  std::optional<Allocator> allocator = {};  ///< none: the framework's
  int devices = 1;                          ///< that the batch is split over
  Exchange exchange = Exchange::kEnd;       ///< of their gradients
  ScheduleOptions schedule;                 ///< what is asked of schedules
  std::vector<LayerTime> layer_times = {};  ///< measured, in place of the model's
  ReadLimits limits;
  /// What it runs in; none: `ideal`. Its kernels are those of `software` where that is there.
  std::shared_ptr<const Framework> framework = {};
  std::optional<Software> software = {};  ///< as ComputeOptions has it
  RunMode mode = RunMode::kTraining;      ///< the same
  AdamKernels adam = AdamKernels::kFused;
  StateOptions state = {};          ///< what of weights, gradients and optimiser state moves
  StateChanges state_changes = {};  ///< that it has already
  /// What far updates read and write of far memory; none: the profile's.
  std::optional<BytesPerSecond> far_compute = {};
};

[[nodiscard]] std::string_view allocator_name(Allocator allocator);
[[nodiscard]] std::string_view compute_name(ComputeModel model);
[[nodiscard]] std::string_view exchange_name(Exchange exchange);

/// A network and the graph of its training iteration. The graph points into the network, so both
/// move together.
struct Workload {
  std::string path;  ///< for messages
  std::unique_ptr<const Network> network;
  TrainingGraph graph;
};

/// A hardware profile and where it came from.
struct Machine {
  std::string path;  ///< for messages
  HardwareProfile profile;
};

/// All that a workload depends on beside its file.
struct WorkloadOptions {
  NetworkOptions network;
  GraphOptions graph;

  bool operator==(const WorkloadOptions&) const = default;
};
/// Throws SpecError where --accounting and the framework contradict each other.
[[nodiscard]] WorkloadOptions workload_options(const CaseOptions& options);

/// Reads a network file and builds its graph by the options' element type, precision, graph options and limits. Throws
/// SpecError naming file, place, what was found and what was expected.
[[nodiscard]] Workload read_workload(const std::string& path, const CaseOptions& options = {});
/// Reads a hardware profile. Throws as above.
[[nodiscard]] Machine read_machine(const std::string& path, const ProfileSources& sources = {});

/// The error about a job that is too large to count (place --batch), about the flag if it was given, else
/// about the file.
[[noreturn]] void throw_too_large(const SpecError& error, const Workload& workload,
                                  const CaseOptions& options);

/// --batch, else the file's, else 1 where that is asked for or layers state their times. SpecError if there is none.
[[nodiscard]] std::int64_t batch_of(const CaseOptions& options, const Network& network);
/// --memory exactly if given, else what the profile leaves beside its reserve, or the framework beside its context.
[[nodiscard]] Bytes budget_of(const CaseOptions& options, const HardwareProfile& hardware);
/// --far-memory if given, else the profile's.
[[nodiscard]] Bytes far_capacity_of(const CaseOptions& options, const HardwareProfile& hardware);

/// What a report repeats of the options, but the schedule.
[[nodiscard]] RunInputs inputs_of(const Workload& workload, const HardwareProfile& hardware,
                                  const CaseOptions& options);

/// The part of them that says what copies cost.
void repeat_prices(const TransferOptions& transfers, RunInputs& inputs);

/// A workload on a machine at a batch: everything that does not depend on the schedule.
struct Case {
  const Workload& workload;
  const HardwareProfile& hardware;
  Accounting accounting = Accounting::kLiveness;
  Allocator allocator = Allocator::kIdeal;
  CostTable costs;
  Bytes in_core_peak;
  Bytes budget;
  Bytes far_capacity;
  RunInputs inputs;  ///< but `schedule` and `options`
  ComputeModel compute_model = ComputeModel::kNative;
  ScheduleOptions schedule_options = {};
  std::shared_ptr<const Framework> framework = {};  ///< none: `ideal`
  // What the costs were made with: for rounds of fewer samples.
  ComputeOptions compute = {};
  TransferOptions transfers = {};
  /// More than one: costs, in-core peak and static bytes are those of the first one's share of the batch,
  /// which is the largest; `inputs` and `compute` have the whole batch.
  int devices = 1;
  Exchange exchange = Exchange::kEnd;
  std::vector<std::string> remarks = {};           ///< for people, of any run
  std::shared_ptr<const MovingState> moving = {};  ///< null: state stays near
  FarCompute far_compute = {};                     ///< of far updates
};

/// Throws SpecError for what the costs cannot be worked out for. The case points into both.
[[nodiscard]] Case make_case(const Workload& workload, const Machine& machine,
                             const CaseOptions& options);

/// What became of one schedule.
struct CaseRun {
  PlanResult plan;  ///< what the schedule made
  std::optional<PlanResult>
      far_overflow;                ///< an OutOfMemory: the plan runs, far memory is too small
  std::optional<Outcome> outcome;  ///< of the plan; none where there is none or it overflows
  std::optional<LowerBounds> bounds;
  bool bounds_recomputing =
      false;  ///< they hold for schedules that move and recompute, not just of any kind
  std::optional<Bytes> peak_far = {};  ///< of the outcome
  /// What plan, outcome and bounds are about, where the iteration has several rounds; else null.
  std::shared_ptr<const Rounds> rounds = {};
  /// Of several devices: what plan and outcome are about; `rounds` and bounds are then the first one's.
  std::shared_ptr<const DataParallel> devices = {};
  bool pages = false;  ///< what moves is pages: any free memory will do, whatever its addresses
  /// Less than the budget, where a plan for all of it would block by what the allocator holds back.
  std::optional<Bytes> planned_for = {};
  /// That the allocator is held to, as PyTorch's set_per_process_memory_fraction does: with more it keeps other blocks.
  std::optional<Bytes> allocator_limit = {};
  bool keeps_gradients =
      false;  ///< they are static, though the framework's are not: what is left between them is of no use

  /// The iteration of one device: the first one.
  [[nodiscard]] const TrainingGraph& share_graph(const Case& which) const {
    return rounds ? rounds->graph : which.workload.graph;
  }
  [[nodiscard]] const CostTable& share_costs(const Case& which) const {
    return rounds ? rounds->costs : which.costs;
  }
  [[nodiscard]] const TrainingGraph& graph(const Case& which) const {
    return devices ? devices->graph : share_graph(which);
  }
  [[nodiscard]] const CostTable& costs(const Case& which) const {
    return devices ? devices->costs : share_costs(which);
  }
  /// What bounds are about: far updates are no tasks of it.
  [[nodiscard]] const TrainingGraph& bounded_graph(const Case& which) const {
    return which.moving ? rounds->moving->planned : share_graph(which);
  }
  [[nodiscard]] Allocator allocator(const Case& which) const {
    return pages ? Allocator::kIdeal : which.allocator;
  }
  /// Near memory that the plan runs in.
  [[nodiscard]] Bytes allowed(const Case& which) const;
  [[nodiscard]] const PlanResult& verdict() const { return far_overflow ? *far_overflow : plan; }
};

/// Lower bounds take longer than the run: sweeps have none.
enum class Bounds { kNone, kAll };

/// Plans, simulates and bounds.
[[nodiscard]] CaseRun run_case(const Case& which, const Schedule& schedule, Bounds bounds);

/// What a plan under a caching allocator competes with (margins.hpp).
struct ToBeat {
  std::optional<Duration> time = {};  ///< of the same job with other algorithms
  bool by_sizes = false;              ///< plans for all of memory do not count
};

/// What runs need to write, and what of a plan no link changes.
struct CaseBuffers {
  SimulationBuffers simulation;
  bool records = false;  ///< Timeline::events of outcomes, for more than totals
  std::optional<FarUse> far_use = {};
  PaperChain paper = {};
};

// The halves of ScheduledCase::run() (scheduled_case.hpp): what no link changes, and what a link changes. The second fills
// outcome and far memory of `run`, again and again; once the buffers have grown it allocates nothing. (Rounds have
// their own costs: for another link they are planned anew. So is what a caching allocator may need a margin for:
// whether it does shows in a run.)
[[nodiscard]] std::optional<CaseRun> plan_case(const Case& which, const Schedule& schedule,
                                               ToBeat to_beat, CaseBuffers& buffers);
void simulate_case(const Case& which, CaseRun& run, CaseBuffers& buffers);

/// Fills the bounds of a run with a plan.
void bound_run(const Case& which, const Schedule& schedule, CaseRun& run);

/// The report of a run, without `what_if` and `range`: these run the job again (what_if.hpp, rate_range.hpp).
[[nodiscard]] RunReport report_case(const Case& which, const Schedule& schedule, const CaseRun& run,
                                    Detail detail);

/// The same of totals, where `report` is of another run of the same plan, at other prices of copies.
void report_again(const Case& which, const Schedule& schedule, const CaseRun& run,
                  CaseBuffers& buffers, RunReport& report);

/// All of it: plans, simulates, bounds and reports. A job that does not fit is a report that says so.
[[nodiscard]] RunReport predict(const Case& which, const Schedule& schedule,
                                Detail detail = Detail::kLayers);

}  // namespace ooc
