// One prediction as plain data, for the writers (docs/formats.md, 5). summarize() computes it;
// writers only format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/base/units.hpp"
#include "model/cost/cost_table.hpp"
#include "model/cost/transfer_cost.hpp"
#include "model/graph/training_graph.hpp"
#include "simulator/plan/bounds.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

// Memory by purpose. Every byte of a peak has exactly one category (docs/formats.md, 5).

enum class MemoryCategory : std::uint8_t {
  kWeights,
  kWeightCopies,  ///< weights in the type of matrix products; only with a precision
  kGradients,     ///< weight gradients
  kOptimizer,
  kInputs,               ///< network inputs
  kSaved,                ///< written by forward, still to be read by backward
  kActivations,          ///< written by forward, not saved
  kActivationGradients,  ///< gradients of activations
  kWorkspace,
  kInFlight,  ///< destination of an unfinished copy, whatever it contains
  kUnused,    ///< reserved by an allocator beyond live blocks
};
inline constexpr std::size_t kMemoryCategories = 11;

/// Returns the name in the result format, such as "activation_gradients".
[[nodiscard]] std::string_view category_name(MemoryCategory category);

struct BytesByCategory {
  std::array<Bytes, kMemoryCategories> bytes{};

  [[nodiscard]] Bytes& operator[](MemoryCategory category) {
    return bytes[static_cast<std::size_t>(category)];
  }
  [[nodiscard]] const Bytes& operator[](MemoryCategory category) const {
    return bytes[static_cast<std::size_t>(category)];
  }
  [[nodiscard]] Bytes total() const {
    Bytes sum;
    for (const Bytes each : bytes) sum += each;
    return sum;
  }
  [[nodiscard]] bool operator==(const BytesByCategory&) const = default;
};

/// Options as typed, in the form of a job file (docs/formats.md, 4): keys, and values as JSON.
using AskedFor = std::vector<std::pair<std::string, std::string>>;
/// Sets the value of a key, as JSON; adds the key if it is missing.
void ask(AskedFor& asked, std::string_view key, std::string json);

/// Inputs of the user, repeated in every result. Texts are names as in flags and files.
struct RunInputs {
  AskedFor asked = {};  ///< options as typed, which JSON repeats in place of the members below
  std::vector<std::string> given = {};  ///< options beside titles, for people: "link 16 GB/s"
  std::string network;
  std::string hardware;
  std::string schedule;
  std::string options;  ///< options of the schedule that are not defaults: "trials=time"
  std::string row;  ///< name of the row in comparisons: "in-core, in rounds"; empty: the schedule's
  /// Rule for tasks' algorithms: "fitting", "memory", "performance", "own" (the schedule's); empty: each task has one.
  std::string algorithms;
  std::int64_t batch = 1;
  std::vector<SymbolValue> symbols;  ///< sizes of the network, by name
  Bytes memory;                      ///< GPU memory budget, static bytes included
  bool memory_given = false;         ///< true if `memory` comes from --memory
  Bytes far_memory;                  ///< memory of one host, less its reserve
  bool far_memory_given = false;     ///< true if far_memory comes from --far-memory
  std::string framework = "ideal";
  std::string framework_meaning = {};  ///< description in about five words; empty: not stated
  std::string accounting = "liveness";
  std::string dtype = "float32";
  std::string precision = {};       ///< name, such as "amp-bf16"; empty: one type for all data
  std::string gradient_dtype = {};  ///< --grad-dtype; empty: by the precision
  std::string adapter_dtype = {};   ///< type of adapters; empty: no type of their own
  bool flash_attention = false;     ///< true if any attention is one fused kernel
  std::string optimizer = "sgd";
  std::string adam = {};  ///< --adam: "foreach" or "loop"; empty: fused
  std::string allocator = "ideal";
  std::string mode = "pinned";
  std::string compute = "native";
  TransferOptions transfers = {};        ///< rates and latencies of copies; unset: the profile's
  std::optional<Ratio> compute_scale;    ///< factor of FLOP and GPU memory rates; unset: 1
  std::optional<Ratio> host_speed = {};  ///< --host-speed; unset: the profile's
  std::optional<int> layer_times;        ///< number of layers with --layer-times; unset: none
  int devices = 1;                       ///< number of devices that split the batch
  std::int64_t expert_parallel = 1;      ///< number of devices over which experts are split
  std::string exchange = "end";  ///< "end" or "overlap" (Exchange); empty: states are sharded
  std::vector<std::string_view> columns = {};      ///< columns that a row has even without value
  std::optional<BytesPerSecond> far_compute = {};  ///< --far-compute; unset: not given
  std::string offload;  ///< model states that move: "optimizer; update far, after all"; empty: none
  bool pageable_returns = false;  ///< StateOptions::pageable_returns, with weights that return
};

enum class TensorAction { kKeep, kSwap, kRecompute, kCompress };
[[nodiscard]] std::string_view action_name(TensorAction action);

struct LayerReport {
  std::string name;
  std::string type;
  std::vector<std::int64_t> output_shape;
  std::int64_t parameters = 0;      ///< parameters of its own, without tied ones
  std::string tied_to;              ///< layer whose weights it uses; empty: none
  std::int64_t forward_macs = 0;    ///< multiply-accumulates, whole batch
  std::int64_t forward_flops = 0;   ///< whole batch
  std::int64_t backward_flops = 0;  ///< whole batch
  Duration forward;
  Duration backward;  ///< sum over all backward tasks of the layer
  Duration update;
  double forward_s = 0;        ///< seconds, not rounded to ns
  double backward_data_s = 0;  ///< seconds; includes a fused backward task
  double backward_weights_s = 0;
  Bytes saved;  ///< bytes that this layer writes and backward reads, of the whole batch
  /// The plan's action on the saved outputs; kRecompute also if the layer saves nothing but its tasks are rerun. Unset:
  /// no plan, or the layer neither saves nor is rerun. In-place activations and views share another layer's tensor, and
  /// that layer has the action.
  std::optional<TensorAction> action;
  Duration stall;  ///< waits of this layer's tasks
  /// Reason of the longest wait: a step such as "to_near conv1_1", else a cause (limit_name()); empty: no wait.
  std::string waits_for;
};

/// Interval in which a tensor is out of GPU memory: a copy out, the copy in after it, or only one of these.
struct MovedTensor {
  std::string tensor;
  Bytes bytes;
  std::optional<Duration> out;      ///< start of the copy out; unset: none
  std::optional<Duration> back;     ///< arrival in GPU memory; unset: does not return
  Duration wait;                    ///< time that compute waits for these copies
  std::optional<StallCause> cause;  ///< largest part of the wait; unset: no wait
  /// Lowest link rate at which compute between the uses before and after hides the copy in; unset: no copy, or no rate.
  std::optional<BytesPerSecond> hides_at;
};

/// Errors of measured jobs of one kind: |predicted / measured - 1| of iteration times, as fractions.
struct MeasuredErrors {
  std::string kind;          ///< job_kind() (simulator/predict/remarks.hpp)
  std::int64_t figures = 0;  ///< number of measured figures; 0: none, so the errors mean nothing
  double median = 0;
  double largest = 0;
  double bias = 0;    ///< mean of predicted / measured - 1
  double lowest = 0;  ///< smallest predicted / measured - 1
  double highest = 0;
  double ratio = 0;  ///< median error of the ratio of two runs' times; 0: none measured
};

/// Repetition of the run with one improvement, such as "link x 2".
struct WhatIf {
  std::string change;
  std::optional<Duration> iteration_time;  ///< unset: does not fit
  double gain = 0;                         ///< 1 - new / old time; < 0: slower; 0: does not fit
};

/// Iteration time of the run by OOC-Paleo's equations (model/analytic).
struct PaperEstimate {
  std::string equations;         ///< "7-9" or "10-12"
  std::optional<Duration> time;  ///< unset: the equations do not apply
  std::string unfit = {};        ///< reason why the equations do not apply; empty: they do
  struct Difference {
    std::string_view cause;  ///< assumption that the run violates
    Duration time;           ///< negative: the run is faster for it
  };
  std::vector<Difference> differences = {};  ///< sum: simulated time - `time`; empty: not asked for
};

/// Backward step of OOC-Paleo's equations, (2) to (9) and (12), beside the run's values.
struct EquationStep {
  std::string layer = {};
  Bytes bytes = {};           ///< Num_buffer(l): saved bytes that this step is the first to read
  Duration processing = {};   ///< T_proc(l): time of its backward tasks
  Duration swap = {};         ///< T_Swap(l-1): time of copies in for the next layer
  Duration section = {};      ///< length of the step, equation (7)
  double concurrency = 0;     ///< average bytes in flight, equation (8)
  double utilization = 0;     ///< processing / section, equation (9)
  double utilization_12 = 0;  ///< utilisation by equation (12)
  Duration section_run = {};  ///< in the run: from the layer's first task to the next layer's
  double utilization_run = 0;
  double utilization_2 = 0;  ///< equation (2), with available_6
  Bytes available_3 = {};    ///< (3): saved bytes near at its start (Num_avail); < 0: missing
  Bytes available_4 = {};    ///< (4): the same, never below 0
  Bytes available_6 = {};    ///< (6): the same, never above `capacity`
  Bytes available_run = {};  ///< in the run: bytes of whole saved tensors in GPU memory
};

/// OOC-Paleo's equations for one run, each beside the run's value.
struct Equations {
  std::string unfit = {};                   ///< why the equations do not apply; empty: they do
  std::optional<BytesPerSecond> far = {};   ///< FM_Th of host memory; unset: part of `connection`
  std::optional<BytesPerSecond> near = {};  ///< NM_Th of GPU memory; unset: part of `connection`
  BytesPerSecond connection = {};           ///< Conn_Th: rate of the link, or of the whole path
  BytesPerSecond swap_in = {};              ///< Swap_in_Th of equation (5): slowest of the above
  std::string_view binds = {};              ///< slowest rate: "Conn_Th", "FM_Th" or "NM_Th"
  std::optional<BytesPerSecond> swap_in_run = {};  ///< the run's average; unset: no copies in
  Bytes capacity = {};                             ///< capacity in (6): budget without static bytes
  Bytes retained = {};                             ///< NM_Ca of (10): saved bytes that never leave
  struct Caught {
    std::string layer;
    Duration time;  ///< from the end of the forward pass
  };
  std::optional<Caught> caught = {};      ///< (11): first layer whose data is late; unset: none
  std::optional<Caught> caught_run = {};  ///< the run's first such layer; unset: none
  double utilization = 1;                 ///< utilisation of backward by equation (9)
  double utilization_12 = 1;              ///< the same by equation (12)
  double utilization_run = 1;
  PaperEstimate total = {};
  std::vector<EquationStep> steps = {};  ///< in the order of the backward pass
};

/// Rates of a run whose network has the symbol seq.
struct SequenceRates {
  double tokens = 0;  ///< tokens an iteration: batch x seq
  double tokens_per_s = 0;
  /// FLOPs an iteration: 6 (4 in frozen layers) x multiply-accumulates of forward, without masked
  /// pairs of attention. Recomputation does not count.
  double model_flops = 0;
  std::optional<FlopsPerSecond> peak = {};  ///< a device's peak in the products' type; unset: none
  std::optional<double> mfu;                ///< model_flops / (time x sum of peaks); unset: no peak
};

/// Copies and updates of model states. All numbers are of one device; copied bytes and times are per iteration.
struct StateReport {
  struct Copied {
    std::string_view name;  ///< "weights", "gradients", "optimizer" or "activations"
    Bytes to_far;
    Bytes to_near;
  };
  std::array<Copied, 4> copied{};
  Bytes far_home;                   ///< bytes of model states in host memory
  std::int64_t far_parameters = 0;  ///< number of parameters with optimiser states in host memory
  std::int64_t far_updates = 0;     ///< number of updates that the host runs
  Duration far_busy;                ///< time of updates, and of sums of gradients, on the host
  Duration near_updates;            ///< time of all updates on the device
  BytesPerSecond far_rate{};        ///< bytes/s that updates on the host move; 0: no such update
  int threads = 0;                  ///< host threads of a process, if they limit `far_rate`; else 0
};

/// Facts of a network at one batch, before any schedule.
struct NetworkFacts {
  RunInputs inputs;
  std::int64_t parameters = 0;
  std::int64_t trainable_parameters = 0;     ///< parameters without frozen ones
  std::int64_t forward_macs_per_sample = 0;  ///< multiply-accumulates
  Bytes saved;                               ///< bytes that backward reads, of the whole batch
  Bytes static_bytes;
  bool gradients_freed = false;       ///< true: weight gradients are freed between iterations
  ParameterBytes per_parameter = {};  ///< bytes that a trained parameter takes; of adapters, if any
  Bytes in_core_peak;
  std::vector<LayerReport> layers;
  std::vector<std::string> assumed;
};

struct RunReport : NetworkFacts {
  bool feasible = false;
  std::optional<OutOfMemory> out_of_memory;
  Duration iteration_time;
  double samples_per_s = 0;
  Duration compute_time;    ///< time of all tasks with the plan's algorithms, without reruns
  Duration reference_time;  ///< time of all tasks with the fastest algorithms, in one batch
  double slowdown = 0;      ///< iteration_time / reference_time
  std::optional<Duration> lower_bound;  ///< unset: not computed, or a task does not fit alone
  std::int64_t sub_batch = 1;  ///< a device's samples in a micro-batch, or in the uncut batch
  std::int64_t rounds = 1;
  bool norms_by_round = false;  ///< true: batch norms use the statistics of micro-batches
  std::string bound_class;      ///< for lower_bound, such as "schedules that only move tensors"
  Bytes peak_near;
  Bytes budget_near;
  std::optional<Bytes> planned_for;           ///< lowered budget of the plan; unset: not lowered
  std::optional<Bytes> allocator_limit = {};  ///< limit of the caching allocator; unset: none
  bool keeps_gradients = false;  ///< true: gradients are static, though the framework frees them
  Bytes peak_far;
  std::optional<BytesByCategory> peak_near_by_category;  ///< unset: did not run, or Detail::kTotals
  std::string peak_near_during;  ///< task at, or last before, the first peak; empty: unknown
  std::optional<BytesByCategory> peak_far_by_category;
  Bytes to_far;
  Bytes to_near;
  Bytes inputs_to_far;   ///< part of to_far: network inputs, in no layer's row
  Bytes inputs_to_near;  ///< part of to_near: network inputs
  double compute_utilization = 0;
  std::array<Duration, kStallCauses> stalls{};
  /// Largest single loss (limit_name: "link to near memory", "slower algorithms", ...) and its share of the iteration;
  /// "compute" and compute_utilization if no loss reaches 5 %. To remove that loss need not help most.
  std::string limited_by;
  double limited_share = 0;
  std::optional<PaperEstimate> paper;  ///< unset: did not run, or no closed form applies
  std::string link_limited_by;  ///< what limits copies: "connection", "far memory", "near memory"
  std::vector<WhatIf> what_if;  ///< `predict`: runs of what_if(); else empty
  std::optional<SequenceRates> sequence;               ///< unset: did not run, or no symbol seq
  std::optional<BytesByCategory> in_core_by_category;  ///< `predict`: set if GPU memory is short
  bool in_words = false;  ///< true: the table describes the plan in words
  /// Set if the job ran with states that move, are sharded or are updated within backward.
  std::optional<StateReport> state;
  std::optional<std::vector<MovedTensor>> moved;  ///< `predict`: set if the job ran without paging
  std::optional<Equations> equations;             ///< `predict --equations`: set if the job ran
  std::optional<MeasuredErrors> errors;  ///< errors of measured jobs of this kind; unset: no table
  std::vector<std::string> remarks;      ///< notes for the user on the prediction
};

/// Returns bytes that suffice in the memory that is too small; if only runs can tell, a lower bound, or of far memory
/// what a plan with any takes. Unset: unknown.
[[nodiscard]] std::optional<Bytes> needed_bytes(const OutOfMemory& oom);
/// Returns "more than ", "at most " or "", to stand before needed_bytes().
[[nodiscard]] std::string_view needed_word(const OutOfMemory& oom);
/// Returns the bytes missing: needed_bytes() less `there`; if that is unknown or <= 0, what the blocked step lacks.
[[nodiscard]] Bytes lacking_bytes(const OutOfMemory& oom, Bytes there);
[[nodiscard]] Bytes lacking_bytes(const RunReport& report);

/// Largest part of the time beyond the reference: slower compute, rerun tasks, or a wait.
struct LargestLoss {
  std::optional<StallCause> cause;  ///< unset: slower compute
  double share = 0;                 ///< lost share of the iteration
};
/// Returns the largest loss; unset: nothing is lost. Ties: compute, then the first cause.
[[nodiscard]] std::optional<LargestLoss> largest_loss(const RunReport& report);
/// Returns the name in RunReport::limited_by, such as "link to far memory".
[[nodiscard]] std::string_view limit_name(StallCause cause);
[[nodiscard]] std::string_view limit_name(const LargestLoss& loss, const RunReport& report);

/// Result of `inspect`. Times of layers are 0 without a hardware profile.
struct NetworkReport : NetworkFacts {
  std::string source;
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> network_inputs;  ///< name, shape
  std::int64_t active_parameters = 0;  ///< parameters that one token uses
  std::int64_t forward_macs = 0;       ///< whole batch
  std::int64_t forward_flops = 0;      ///< whole batch
  std::int64_t backward_flops = 0;     ///< whole batch
  Bytes weight_copies;  ///< bytes of weight copies that backward reads; not in `saved`
  Bytes saved_inputs;   ///< part of `saved`: network inputs
  std::optional<Duration> compute_time;  ///< time of all tasks; unset without hardware
};

// Result of `compare` over several machines or links, as plain data: for each, the reports of its schedules.

/// Schedules compared on one machine with one link and one preset of model states.
struct MachineRow {
  std::vector<RunReport> results;    ///< one a schedule, best first; never empty
  std::string state = {};            ///< preset of model states, if compared; else empty
  std::vector<std::string> remarks;  ///< notes for the user on the machine
};

struct MachinesReport {
  std::vector<MachineRow> rows;
};

/// Returns the report of the fastest run; if no schedule fits, the report that best_first() puts first.
[[nodiscard]] inline const RunReport& best_of(const MachineRow& row) { return row.results.front(); }

}  // namespace ooc
