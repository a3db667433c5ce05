// A job from its names to all that does not depend on the schedule: load, build, estimate. Behind every command; it
// neither parses flags nor prints.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

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
#include "model/rewrite/iteration.hpp"
#include "model/rewrite/state.hpp"
#include "model/software/framework.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/plan/join_devices.hpp"
#include "simulator/schedules/schedule.hpp"
#include "simulator/summary/run_report.hpp"

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
  std::optional<Shard> shard = {};

  [[nodiscard]] bool operator==(const StateChanges&) const = default;
};

/// Inputs of a prediction beside network, machine and schedule.
struct CaseOptions : NetworkOptions {
  AskedFor asked = {};  ///< what these and all else that is asked came from
  std::optional<std::int64_t> batch;
  bool per_sample = false;  ///< one sample, if neither `batch` nor the network states a batch
  std::optional<Bytes> memory;
  std::optional<Bytes> far_memory = {};  ///< capacity of host memory; unset: the profile's
  GraphOptions graph;
  ComputeModel compute = ComputeModel::kNative;
  Ratio percent_of_peak = kOne;             ///< as in ComputeOptions
  std::optional<Ratio> compute_scale = {};  ///< factor of the machine's rates
  TransferOptions transfers;
  std::optional<Allocator> allocator = {};  ///< unset: the framework's
  int devices = 1;                          ///< number that share the batch
  Exchange exchange = Exchange::kEnd;       ///< time of the gradient exchange between devices
  ScheduleOptions schedule;                 ///< options of schedules
  std::vector<LayerTime> layer_times = {};  ///< measured times that replace the model's
  /// Framework; null: `ideal`. `software`, if set, replaces its kernels.
  std::shared_ptr<const Framework> framework = {};
  std::optional<Software> software = {};  ///< as in ComputeOptions
  RunMode mode = RunMode::kTraining;      ///< as in ComputeOptions
  AdamKernels adam = AdamKernels::kFused;
  StateOptions state = {};          ///< model states that move
  StateChanges state_changes = {};  ///< changes already applied to `state`
  /// Host memory traffic rate of far updates; unset: the profile's.
  std::optional<BytesPerSecond> far_compute = {};
  /// Errors of measured jobs by kind; null: reports state none.
  std::shared_ptr<const std::vector<MeasuredErrors>> errors = {};
};

[[nodiscard]] std::string_view allocator_name(Allocator allocator);

// Settings that a case takes from its framework.

/// Returns `ideal` for null.
[[nodiscard]] const Framework& framework_of(const std::shared_ptr<const Framework>& framework);

/// Returns --allocator, else the framework's.
[[nodiscard]] Allocator allocator_of(const CaseOptions& options);
/// Returns sizes without times, for an unknown machine. Throws SpecError for what is too large to
/// count.
[[nodiscard]] CostTable sizes_of(const CaseOptions& options, const TrainingGraph& graph,
                                 std::int64_t batch);
/// Returns the graph's options, with the tensors that the framework saves. Throws SpecError if --accounting has rules of its own.
[[nodiscard]] GraphOptions graph_options_of(const CaseOptions& options);
/// Returns the software of the kernels; unset: ideal, with the machine's cuDNN.
[[nodiscard]] std::optional<Software> software_of(const CaseOptions& options,
                                                  const HardwareProfile& hardware);

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
  std::string given = {};  ///< as the user called it
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

/// Returns --batch; else the file's; else 1, if allowed or if layers state their times. Throws SpecError if none applies.
[[nodiscard]] std::int64_t batch_of(const CaseOptions& options, const Network& network);
/// Near-memory budget: --memory if set; else (capacity - framework context or profile reserve) x framework memory share.
[[nodiscard]] Bytes budget_of(const CaseOptions& options, const HardwareProfile& hardware);
/// Capacity of host memory: --far-memory if set, else the profile's; an equal part of it where devices share state.
[[nodiscard]] Bytes far_capacity_of(const CaseOptions& options, const HardwareProfile& hardware);

/// Devices among which state is sharded; 1: none is.
[[nodiscard]] int sharing_devices(const CaseOptions& options);

/// Returns the options that reports repeat, without the schedule. Null: no machine.
[[nodiscard]] RunInputs inputs_of(const Workload& workload, const HardwareProfile* hardware,
                                  const CaseOptions& options);

/// Copies the options of copy costs to `inputs`.
void repeat_prices(const TransferOptions& transfers, RunInputs& inputs);

/// A workload on a machine at a batch: everything that does not depend on the schedule. As an iteration it is the network's
/// own, in one round; of several devices the first one's, whose share of the batch is the largest.
struct Case : Iteration {
  const Workload& workload;
  const HardwareProfile& hardware;
  Accounting accounting = Accounting::kLiveness;
  Allocator allocator = Allocator::kIdeal;
  Bytes in_core_peak = {};
  Bytes budget = {};
  Bytes far_capacity = {};
  RunInputs inputs = {};  ///< but `schedule` and `options`
  ComputeModel compute_model = ComputeModel::kNative;
  ScheduleOptions schedule_options = {};
  std::shared_ptr<const Framework> framework = {};  ///< null: `ideal`
  // Options of the costs, to estimate smaller micro-batches:
  ComputeOptions compute = {};
  TransferOptions transfers = {};
  /// More than one: in-core peak and static bytes are the first one's, too; `inputs` and `compute` have the whole batch.
  int devices = 1;
  Exchange exchange = Exchange::kEnd;
  std::vector<std::string> remarks = {};                           ///< for people, of any run
  FarCompute far_compute = {};                                     ///< of far updates
  std::shared_ptr<const std::vector<MeasuredErrors>> errors = {};  ///< CaseOptions::errors
};

/// Throws SpecError if costs cannot be computed. The case points into both arguments.
[[nodiscard]] Case make_case(const Workload& workload, const Machine& machine,
                             const CaseOptions& options);

/// Report of the network, with a machine also of what its layers cost there.
[[nodiscard]] NetworkReport inspect(const Workload& workload, const Machine* machine,
                                    const CaseOptions& options);

/// Changes the budgets of a case to those of `options`.
void ask_budgets(const CaseOptions& options, Case& which);
/// Changes the costs of copies and of far updates to those of `options`.
void ask_prices(const CaseOptions& options, Case& which);

}  // namespace ooc
