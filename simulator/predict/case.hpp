// A job from its names to everything that does not depend on the schedule: load, build, estimate.
// All commands use this file; it neither parses flags nor prints.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/base/errors.hpp"
#include "model/base/precision.hpp"
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
#include "simulator/schedules/schedule.hpp"
#include "simulator/summary/run_report.hpp"
#include "simulator/summary/summarize.hpp"

namespace ooc {

/// Flags that change how model states move, applied after a preset (--state) or --offload. Unset: flag not given.
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
  std::optional<int> threads = {};

  [[nodiscard]] bool operator==(const StateChanges&) const = default;
};

/// Inputs of a prediction beside the files of network and machine and the name of the schedule.
struct CaseOptions : NetworkOptions {
  AskedFor asked = {};  ///< options as typed, which JSON results repeat; empty for sweeps
  std::vector<std::string> given = {};  ///< RunInputs::given
  std::optional<std::int64_t> batch;
  bool per_sample = false;      ///< true: the batch is 1 if neither `batch` nor the file states one
  std::optional<Bytes> memory;  ///< budget of GPU memory; unset: from profile and framework
  std::optional<Bytes> far_memory = {};  ///< memory of one host; unset: profile's, less reserve
  GraphOptions graph;
  ComputeModel compute = ComputeModel::kNative;
  Ratio percent_of_peak = kOne;  ///< share of peak rates reached with ComputeModel::kPaleo
  std::optional<Ratio> compute_scale = {};  ///< factor of FLOP and GPU memory rates; unset: 1
  std::optional<Ratio> host_speed =
      {};  ///< speed at which the host launches kernels; unset: the profile's
  TransferOptions transfers;
  std::optional<Allocator> allocator = {};  ///< allocator of GPU memory; unset: the framework's
  int devices = 1;                          ///< number of devices that split the batch
  std::optional<Exchange> exchange = {};    ///< unset: by the framework
  ScheduleOptions schedule;
  std::vector<LayerTime> layer_times = {};  ///< measured times of layers, in place of computed ones
  /// Framework; null: `ideal`, without overhead. `software`, if set, replaces its kernels and their overheads.
  std::shared_ptr<const Framework> framework = {};
  std::optional<Software> software = {};  ///< kernels and their overheads; unset: the framework's
  RunMode mode = RunMode::kTraining;      ///< training or inference
  AdamKernels adam = AdamKernels::kFused;
  bool clips = false;               ///< true: gradients are clipped by the norm of all
  StateOptions state = {};          ///< how model states move or are sharded; default: not at all
  StateChanges state_changes = {};  ///< flags that `state` includes; applied again after a preset
  /// Rate at which updates on the host read and write host memory; unset: the profile's, or 45 % of host memory's.
  std::optional<BytesPerSecond> far_compute = {};
  /// Errors of measured jobs, by kind of job (job_kind()); null: reports give no errors.
  std::shared_ptr<const std::vector<MeasuredErrors>> errors = {};
};

[[nodiscard]] std::string_view allocator_name(Allocator allocator);

// Settings of a case that flags state, or else its framework.

/// Returns the framework that is pointed to; for null, `ideal`.
[[nodiscard]] const Framework& framework_of(const std::shared_ptr<const Framework>& framework);

/// Returns the allocator of GPU memory: --allocator, else the framework's.
[[nodiscard]] Allocator allocator_of(const CaseOptions& options);
/// Returns the bytes of tensors without any times; needs no machine. Throws SpecError for sizes too large to count.
[[nodiscard]] CostTable sizes_of(const CaseOptions& options, const TrainingGraph& graph,
                                 std::int64_t batch);
/// Returns CaseOptions::graph with the framework's rule for saved tensors. Throws SpecError for --accounting
/// define-by-run with a framework whose rule is not that of `ideal`.
[[nodiscard]] GraphOptions graph_options_of(const CaseOptions& options);
/// Returns the time that a framework states for its host, on this one (--host-speed, or the profile's).
[[nodiscard]] Duration on_host(const CaseOptions& options, const HardwareProfile& hardware,
                               Duration stated);
/// Returns CaseOptions::software, else the framework's with its cuDNN (or the machine's). Unset: neither is given.
[[nodiscard]] std::optional<Software> software_of(const CaseOptions& options,
                                                  const HardwareProfile& hardware);

/// Network with the graph of its training iteration. The graph points into the network, so both move together.
struct Workload {
  std::string path;  ///< file of the network, read again for other options
  std::unique_ptr<const Network> network;
  TrainingGraph graph;
};

struct Machine {
  std::string path;  ///< file of the profile, for messages
  HardwareProfile profile;
  std::string given = {};  ///< name of the machine as typed
};

/// Options that a workload depends on, beside its file.
struct WorkloadOptions {
  NetworkOptions network;
  GraphOptions graph;

  bool operator==(const WorkloadOptions&) const = default;
};
/// Returns the options that a workload depends on. Throws SpecError as graph_options_of() does.
[[nodiscard]] WorkloadOptions workload_options(const CaseOptions& options);

/// Reads a network file and builds its graph by workload_options(). Throws SpecError with file, place, found, expected.
[[nodiscard]] Workload read_workload(const std::string& path, const CaseOptions& options = {});
/// Reads a hardware profile. Throws SpecError with file, place, found and expected.
[[nodiscard]] Machine read_machine(const std::string& path, const ProfileSources& sources = {});

/// Returns --batch; else the file's batch; else 1 for per_sample or if all layers are `custom`. Else throws SpecError.
[[nodiscard]] std::int64_t batch_of(const CaseOptions& options, const Network& network);
/// Returns the GPU memory budget: --memory, else (capacity - framework context or profile reserve) x framework share.
/// Throws SpecError at --framework for a context that leaves nothing.
[[nodiscard]] Bytes budget_of(const CaseOptions& options, const HardwareProfile& hardware);
/// Returns the memory of one host: --far-memory, else the profile's capacity less its reserve.
[[nodiscard]] Bytes far_memory_of(const CaseOptions& options, const HardwareProfile& hardware);

/// Returns the number of devices that shard model states; 1: no sharding.
[[nodiscard]] int sharing_devices(const CaseOptions& options);
/// Returns the number of the job's devices that share one host's memory and processor.
[[nodiscard]] int devices_of_host(const CaseOptions& options, const HardwareProfile& hardware);

/// Returns the options that reports repeat, without the schedule's. `hardware` null: no machine, so no budgets.
/// Throws SpecError as batch_of() and budget_of() do.
[[nodiscard]] RunInputs inputs_of(const Workload& workload, const HardwareProfile* hardware,
                                  const CaseOptions& options);

/// A workload on a machine at a batch: everything that does not depend on the schedule. The base class is the network's
/// iteration without micro-batches, on the first device, whose share of the batch is the largest.
struct Case : Iteration {
  const Workload& workload;
  const HardwareProfile& hardware;
  Accounting accounting = Accounting::kLiveness;
  Allocator allocator = Allocator::kIdeal;
  Bytes in_core_peak = {};  ///< of a micro-batch with --accumulate, else of the batch
  Bytes budget = {};
  Bytes far_capacity = {};
  RunInputs inputs = {};  ///< options that reports repeat, without the schedule's
  ComputeModel compute_model = ComputeModel::kNative;
  ScheduleOptions schedule_options = {};
  std::shared_ptr<const MicroBatches> micro_batches = {};  ///< of --accumulate; null: not given
  std::shared_ptr<const Framework> framework = {};         ///< null: `ideal`
  // Options by which the costs of micro-batches are estimated:
  ComputeOptions compute = {};
  TransferOptions transfers = {};
  /// Devices that split the batch; 1 if they shard model states. Memory is of one device; `inputs` has the whole batch.
  int devices = 1;
  Exchange exchange = Exchange::kEnd;
  std::vector<std::string> remarks = {};  ///< notes for the user that hold for any schedule
  FarCompute far_compute = {};            ///< rates of updates on the host, if `moving` is set
  std::shared_ptr<const std::vector<MeasuredErrors>> errors = {};  ///< CaseOptions::errors
};

/// Returns the case, which points into `workload` and `machine`. Throws SpecError for contradictory options, for a
/// missing batch, and for sizes too large to count.
[[nodiscard]] Case make_case(const Workload& workload, const Machine& machine,
                             const CaseOptions& options);

/// Returns the report of the network; `machine` null: without times. Throws SpecError as make_case() does.
[[nodiscard]] NetworkReport inspect(const Workload& workload, const Machine* machine,
                                    const CaseOptions& options);

/// Sets a case's budgets of GPU and host memory by `options`, in Case::inputs too.
void ask_budgets(const CaseOptions& options, Case& which);
/// Sets a case's costs of copies and of updates on the host by `options`, in Case::inputs too.
void ask_prices(const CaseOptions& options, Case& which);

}  // namespace ooc
