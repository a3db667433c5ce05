// One prediction from names to report: load, build, estimate, plan, simulate, bound, summarise.
// Behind predict, its what-ifs, compare, inspect and sweep. Neither parses flags nor prints.
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

/// Changes by flags to how model states move, whatever preset or list is in use.
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

/// Inputs of a prediction beside network, machine and schedule.
struct CaseOptions {
  std::optional<std::int64_t> batch;
  bool per_sample = false;  ///< one sample, if neither `batch` nor the network states a batch
  std::optional<Bytes> memory;
  std::optional<Bytes> far_memory = {};  ///< capacity of host memory; unset: the profile's
  std::optional<Dtype> dtype;            ///< unset: the network file's
  std::optional<Precision> precision = {};
  std::optional<std::int64_t> copies = {};    ///< copies of the scaling repeat; unset: the file's
  std::vector<SymbolValue> symbols = {};      ///< values that replace the network file's
  bool long_sequences = false;                ///< as NetworkOptions::long_sequences
  std::vector<std::string> families = {};     ///< folders of family files, for configs
  std::optional<ImportKernels> kernels = {};  ///< kernels, for configs; unset: sdpa
  std::string loss = {};                      ///< loss, for configs; empty: by the kernels
  std::optional<AdapterOptions> adapters = {};
  GraphOptions graph;
  ComputeModel compute = ComputeModel::kNative;
  std::optional<Ratio> compute_scale = {};  ///< factor of the machine's rates
  TransferOptions transfers;
  std::optional<Allocator> allocator = {};  ///< unset: the framework's
  int devices = 1;                          ///< number that share the batch
  Exchange exchange = Exchange::kEnd;       ///< time of the gradient exchange between devices
  ScheduleOptions schedule;                 ///< options of schedules
  std::vector<LayerTime> layer_times = {};  ///< measured times that replace the model's
  ReadLimits limits;
  /// Framework; null: `ideal`. `software`, if set, replaces its kernels.
  std::shared_ptr<const Framework> framework = {};
  std::optional<Software> software = {};  ///< as in ComputeOptions
  RunMode mode = RunMode::kTraining;      ///< as in ComputeOptions
  AdamKernels adam = AdamKernels::kFused;
  StateOptions state = {};          ///< model states that move
  StateChanges state_changes = {};  ///< changes already applied to `state`
  /// Host memory traffic rate of far updates; unset: the profile's.
  std::optional<BytesPerSecond> far_compute = {};
};

[[nodiscard]] std::string_view allocator_name(Allocator allocator);
[[nodiscard]] std::string_view compute_name(ComputeModel model);
[[nodiscard]] std::string_view exchange_name(Exchange exchange);

/// Network with the graph of its training iteration. The graph points into the network, so both
/// move together.
struct Workload {
  std::string path;  ///< for messages
  std::unique_ptr<const Network> network;
  TrainingGraph graph;
};

/// Hardware profile with its path.
struct Machine {
  std::string path;  ///< for messages
  HardwareProfile profile;
};

/// Options that a workload depends on, beside its file.
struct WorkloadOptions {
  NetworkOptions network;
  GraphOptions graph;

  bool operator==(const WorkloadOptions&) const = default;
};
/// Throws SpecError if --accounting contradicts the framework.
[[nodiscard]] WorkloadOptions workload_options(const CaseOptions& options);

/// Reads a network file and builds its graph by the options' type, precision, graph options and
/// limits. Throws SpecError with file, place, found and expected.
[[nodiscard]] Workload read_workload(const std::string& path, const CaseOptions& options = {});
/// Reads a hardware profile. Throws SpecError with file, place, found and expected.
[[nodiscard]] Machine read_machine(const std::string& path, const ProfileSources& sources = {});

/// Throws the error for a job too large to count (place --batch): about the flag if given, else
/// about the file.
[[noreturn]] void throw_too_large(const SpecError& error, const Workload& workload,
                                  const CaseOptions& options);

/// Returns --batch; else the file's; else 1, if allowed or if layers state their times. Throws SpecError if none applies.
[[nodiscard]] std::int64_t batch_of(const CaseOptions& options, const Network& network);
/// Near-memory budget: --memory if set; else (capacity - framework context or profile reserve) x framework memory share.
[[nodiscard]] Bytes budget_of(const CaseOptions& options, const HardwareProfile& hardware);
/// Capacity of host memory: --far-memory if set, else the profile's.
[[nodiscard]] Bytes far_capacity_of(const CaseOptions& options, const HardwareProfile& hardware);

/// Returns the options that reports repeat, without the schedule.
[[nodiscard]] RunInputs inputs_of(const Workload& workload, const HardwareProfile& hardware,
                                  const CaseOptions& options);

/// Copies the options of copy costs to `inputs`.
void repeat_prices(const TransferOptions& transfers, RunInputs& inputs);

/// Workload on a machine at a batch: everything independent of the schedule.
struct Case {
  const Workload& workload;
  const HardwareProfile& hardware;
  Accounting accounting = Accounting::kLiveness;
  Allocator allocator = Allocator::kIdeal;
  CostTable costs;
  Bytes in_core_peak;
  Bytes budget;
  Bytes far_capacity;
  RunInputs inputs;  ///< inputs without `schedule` and `options`
  ComputeModel compute_model = ComputeModel::kNative;
  ScheduleOptions schedule_options = {};
  std::shared_ptr<const Framework> framework = {};  ///< null: `ideal`
  // Options of the costs, to estimate smaller micro-batches:
  ComputeOptions compute = {};
  TransferOptions transfers = {};
  /// Number of devices. With several, costs, in-core peak and static bytes are those of the first,
  /// largest share of the batch; `inputs` and `compute` have the whole batch.
  int devices = 1;
  Exchange exchange = Exchange::kEnd;
  std::vector<std::string> remarks = {};           ///< for people, of all runs
  std::shared_ptr<const MovingState> moving = {};  ///< moving states; null: all stay near
  FarCompute far_compute = {};                     ///< rate of far updates
};

/// Throws SpecError if costs cannot be computed. The case points into both arguments.
[[nodiscard]] Case make_case(const Workload& workload, const Machine& machine,
                             const CaseOptions& options);

/// Run of one schedule.
struct CaseRun {
  PlanResult plan;  ///< plan of the schedule
  std::optional<PlanResult>
      far_overflow;                ///< an OutOfMemory if the plan runs but host memory is too small
  std::optional<Outcome> outcome;  ///< run of the plan; unset: no plan, or host memory overflows
  std::optional<LowerBounds> bounds;
  bool bounds_recomputing = false;     ///< bounds hold for schedules that move and recompute
  std::optional<Bytes> peak_far = {};  ///< peak of host memory in bytes
  /// Micro-batches that plan, outcome and bounds are about; null: no accumulation.
  std::shared_ptr<const Rounds> rounds = {};
  /// Devices that plan and outcome are about; `rounds` and bounds are then the first device's. Null: one.
  std::shared_ptr<const DataParallel> devices = {};
  bool pages = false;  ///< pages move, so any free memory will do, at any address
  /// Bytes less than the budget, if a plan for the whole budget would block in the allocator; unset: all.
  std::optional<Bytes> planned_for = {};
  /// Limit of the allocator, as by PyTorch's set_per_process_memory_fraction; with more it keeps other blocks. Unset: none.
  std::optional<Bytes> allocator_limit = {};
  bool keeps_gradients =
      false;  ///< static, though the framework frees gradients: holes would be useless

  /// Iteration of the first device.
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
  /// Graph that bounds are about; far updates are not among its tasks.
  [[nodiscard]] const TrainingGraph& bounded_graph(const Case& which) const {
    return which.moving ? rounds->moving->planned : share_graph(which);
  }
  [[nodiscard]] Allocator allocator(const Case& which) const {
    return pages ? Allocator::kIdeal : which.allocator;
  }
  /// GPU memory in which the plan runs.
  [[nodiscard]] Bytes allowed(const Case& which) const;
  [[nodiscard]] const PlanResult& verdict() const { return far_overflow ? *far_overflow : plan; }
};

/// Lower bounds take longer than the run, so sweeps have none.
enum class Bounds { kNone, kAll };

/// Plans, simulates and bounds.
[[nodiscard]] CaseRun run_case(const Case& which, const Schedule& schedule, Bounds bounds);

/// Runs that a plan under a caching allocator competes with (margins.hpp).
struct ToBeat {
  std::optional<Duration> time = {};  ///< best time of the job with other algorithms
  bool by_sizes = false;              ///< plans for all of memory do not count
};

/// Memory of runs, and parts of a plan that no link changes.
struct CaseBuffers {
  SimulationBuffers simulation;
  bool records = false;  ///< Timeline::events of outcomes, for more than totals
  std::optional<FarUse> far_use = {};
  PaperChain paper = {};
};

// Halves of ScheduledCase::run() (scheduled_case.hpp): plan_case does what no link changes; simulate_case
// what a link changes, filling outcome and host memory of `run`. After its buffers have grown simulate_case
// allocates nothing. Micro-batches have costs of their own, so another link needs another plan. So do margins
// of a caching allocator, since only a run shows whether they are needed.
[[nodiscard]] std::optional<CaseRun> plan_case(const Case& which, const Schedule& schedule,
                                               ToBeat to_beat, CaseBuffers& buffers);
void simulate_case(const Case& which, CaseRun& run, CaseBuffers& buffers);

/// Sets the bounds of a run that has a plan.
void bound_run(const Case& which, const Schedule& schedule, CaseRun& run);

/// Returns the report of a run without `what_if` and `range`, which run the job again (what_if.hpp, rate_range.hpp).
[[nodiscard]] RunReport report_case(const Case& which, const Schedule& schedule, const CaseRun& run,
                                    Detail detail);

/// Replaces the totals in `report` by those of another run of the same plan at other copy costs.
void report_again(const Case& which, const Schedule& schedule, const CaseRun& run,
                  CaseBuffers& buffers, RunReport& report);

/// Plans, simulates, bounds and reports. A job that does not fit gives a report that says so.
[[nodiscard]] RunReport predict(const Case& which, const Schedule& schedule,
                                Detail detail = Detail::kLayers);

}  // namespace ooc
