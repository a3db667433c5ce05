// One prediction as plain data: everything the writers print (docs/formats.md, 5). Built from the
// stages' values by summarize(); the writers only format.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/spec_symbols.hpp"
#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "simulator/plan/bounds.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/summary/memory_category.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

/// Columns that only some runs need, in a table of which some other run needs them.
struct RareColumns {
  bool precision = false;
  bool seq = false;  ///< and rates of a sequence
  bool target_seq = false;
  bool symbols = false;
  bool offload = false;
};

/// What the user asked for, echoed in every result. Texts are the names of the command line.
struct RunInputs {
  std::string network;
  std::string hardware;
  std::string schedule;
  std::string options;  ///< of the schedule, where they are not the defaults: "trials=time"
  std::string row;      ///< in comparisons: "in-core, in rounds"; empty: the schedule's name
  /// Of convolutions: "memory", "performance", "own" where the schedule chooses; empty: nothing to choose.
  std::string algorithms;
  std::int64_t batch = 1;
  std::vector<SymbolValue> symbols;  ///< sizes of the network by name
  Bytes memory;                      ///< near-memory budget, static bytes included
  bool memory_given = false;
  Bytes far_memory;  ///< its capacity
  bool far_memory_given = false;
  std::string framework = "ideal";
  std::string framework_meaning = {};  ///< in about five words; empty: its file does not say
  std::string accounting = "liveness";
  std::string dtype = "float32";
  std::string precision = {};       ///< empty: everything has that type
  std::string gradient_dtype = {};  ///< of the weights' gradients, where it was asked for
  std::string adapter_dtype = {};   ///< of what is learnt, where it has a type of its own
  bool flash_attention = false;     ///< whether any attention is one kernel
  std::string optimizer = "sgd";
  std::string adam = {};  ///< its kernels, where they are not the usual ones
  std::string allocator = "ideal";
  std::string mode = "pinned";
  std::string compute = "native";
  std::optional<BytesPerSecond> link;
  std::optional<BytesPerSecond> link_to_far;   ///< of one direction, before `link`
  std::optional<BytesPerSecond> link_to_near;  ///< the same
  std::optional<BytesPerSecond> far_throughput;
  std::optional<Duration> latency;
  std::optional<Ratio> duplex;                     ///< of both directions
  std::optional<Ratio> compute_scale;              ///< so many times the machine's rates
  std::optional<int> layer_times;                  ///< layers whose time came from --layer-times
  int devices = 1;                                 ///< that the batch is split over
  std::string exchange = "end";                    ///< when they exchange gradients
  RareColumns columns = {};                        ///< of the table that it stands in
  std::optional<BytesPerSecond> far_compute = {};  ///< of far updates
  std::string offload;  ///< what of the state is far: "optimizer,gradients"; empty: nothing
};

enum class TensorAction { kKeep, kSwap, kRecompute, kCompress };
[[nodiscard]] std::string_view action_name(TensorAction action);

struct LayerReport {
  std::string name;
  std::string type;
  std::vector<std::int64_t> output_shape;
  std::int64_t parameters = 0;      ///< its own
  std::string tied_to;              ///< the layer whose weights it uses; empty: none
  std::int64_t forward_macs = 0;    ///< at the batch
  std::int64_t forward_flops = 0;   ///< at the batch
  std::int64_t backward_flops = 0;  ///< at the batch
  Duration forward;
  Duration backward;  ///< all backward tasks of the layer
  Duration update;
  double forward_s = 0;        ///< unrounded
  double backward_data_s = 0;  ///< a fused backward task counts here
  double backward_weights_s = 0;
  Bytes saved;  ///< of the tensors this layer writes that backward reads
  /// What the plan did with those; kRecompute also where its tasks run again. None where backward reads
  /// nothing of what the layer itself writes: what an in-place activation or a view passes on is the
  /// tensor of another layer, and counted there.
  std::optional<TensorAction> action;
  Duration stall;  ///< waits of this layer's tasks
  /// What the longest of them is for: "to_near conv1_1"; a cause where that is no step's end.
  std::string waits_for;
};

struct StepReport {
  std::string queue;  ///< "compute", "to_far", "to_near" (".1" for further devices)
  std::string kind;   ///< "compute", "recompute", "to_far", "to_near"
  std::string name;
  std::string algorithm;  ///< of a convolution; empty where only one way is known
  Duration start;
  Duration end;
  Bytes bytes;  ///< copies
};

/// A tensor's stay away from near memory, or one that comes from far memory alone.
struct MovedTensor {
  std::string tensor;
  Bytes bytes;
  std::optional<Duration>
      out;  ///< instant at which the copy out starts; none: nothing is copied out
  std::optional<Duration> back;  ///< instant at which it is near again; none: it does not come back
  Duration wait;                 ///< of compute, for its copies
  std::optional<StallCause> cause;  ///< the largest of them; none: nothing waits
  /// No slower way back hides it behind what is computed from its last use to its next; none: no way back does.
  std::optional<BytesPerSecond> hides_at;
};

/// What a layer can reach at most: operations at the peak of the type it computes in, or the bytes of its operands, each
/// once, at near memory's rate. At the batch, as LayerReport counts them.
struct LayerRoof {
  std::optional<double> peak;  ///< FLOP/s; none: the profile has none for the type
  std::int64_t forward_bytes = 0;
  std::int64_t backward_bytes = 0;
};
struct Roofline {
  BytesPerSecond near_rate;
  std::vector<LayerRoof> layers;  ///< in the order of RunReport::layers
};

/// "link x 2": the run repeated with one thing better.
struct WhatIf {
  std::string change;
  std::optional<Duration> iteration_time;  ///< none: does not fit
  double gain = 0;                         ///< 1 - new/old
};

/// What a job that does not fit would take with one thing changed.
struct Lever {
  std::string change;  ///< the flag: "--precision bf16-pure"
  Bytes
      needs;  ///< of what the job lacks, near or far memory: the smallest that suffices, or what is known of it
  Bytes saves;  ///< against the job as it is
  /// In what there is; none: by its sizes, and more than these decides.
  std::optional<bool> fits = {};
  /// What far memory lacks of holding state's home, where that is all that keeps the job from fitting.
  Bytes lacks_far = {};
};

/// A rate of the profile of which reports differ.
struct RangedRate {
  std::string what;  ///< "connection.modes.pinned.to_near"
  BytesPerSecond lowest;
  BytesPerSecond highest;
};

/// The answer as far as such rates decide it.
struct TimeRange {
  std::vector<RangedRate> rates;
  Duration least;
  Duration most;
};

/// OOC-Paleo's total for the same run (model/analytic).
struct PaperEstimate {
  std::string equations;         ///< "7-9" or "10-12"
  std::optional<Duration> time;  ///< unset: they do not hold for this run
  std::string unfit = {};        ///< why they do not hold; empty: they do
  struct Difference {
    std::string_view cause;  ///< the assumption that this run does not keep
    Duration time;           ///< negative where the run is quicker for it
  };
  std::vector<Difference> differences = {};  ///< their sum: simulated time - `time`
};

/// One backward step of OOC-Paleo's equations, (3) to (9) and (12), beside the run's.
struct EquationStep {
  std::string layer = {};
  Bytes bytes = {};           ///< Num_buffer(l): saved tensors that it is the first to read
  Duration processing = {};   ///< T_proc(l)
  Duration swap = {};         ///< T_Swap(l-1): the plan's copies in for the next layer
  Duration section = {};      ///< (7)
  double concurrency = 0;     ///< (8), bytes
  double utilization = 0;     ///< (9)
  double utilization_12 = 0;  ///< (12)
  Duration section_run = {};  ///< from its first task to the next layer's
  double utilization_run = 0;
  double utilization_2 = 0;  ///< (2), with Num_avail of (6)
  Bytes available_3 = {};    ///< Num_avail at its start by (3); negative: not there yet
  Bytes available_4 = {};
  Bytes available_6 = {};
  Bytes available_run = {};  ///< of whole tensors
};

/// OOC-Paleo's equations for one run, each beside what the run came to.
struct Equations {
  std::string unfit = {};                   ///< why they do not hold; empty: they do
  std::optional<BytesPerSecond> far = {};   ///< FM_Th; unset: Conn_Th was measured end to end
  std::optional<BytesPerSecond> near = {};  ///< NM_Th; likewise
  BytesPerSecond connection = {};           ///< Conn_Th
  BytesPerSecond swap_in = {};              ///< (5)
  std::string_view binds = {};              ///< "Conn_Th", "FM_Th" or "NM_Th"
  std::optional<BytesPerSecond> swap_in_run = {};  ///< unset: nothing is copied in
  Bytes capacity = {};                             ///< of (6): budget without static bytes
  Bytes retained = {};  ///< NM_Ca of (10): saved tensors that never leave
  struct Caught {
    std::string layer;
    Duration time;  ///< from the turn on
  };
  std::optional<Caught> caught = {};      ///< (11); unset: processing never catches up
  std::optional<Caught> caught_run = {};  ///< first wait for a copy in
  double utilization = 1;                 ///< of the backward pass by (9)
  double utilization_12 = 1;              ///< by (12)
  double utilization_run = 1;
  PaperEstimate total = {};
  std::vector<EquationStep> steps = {};  ///< in the order in which layers run backward
};

/// Of a run of a network whose sequence has a length (symbol seq).
struct SequenceRates {
  double tokens = 0;  ///< of an iteration: batch x seq
  double tokens_per_s = 0;
  /// 3 x 2 x multiply-accumulates of the forward pass: 6 x parameters of matrices x tokens, and attention's, of which
  /// pairs behind a mask do not count. What is computed again does not count either.
  double model_flops = 0;
  std::optional<FlopsPerSecond>
      peak;                   ///< of what products are computed in; none: not in the profile
  std::optional<double> mfu;  ///< model_flops / (iteration time x peak of all devices)
};

/// What became of state that moves. Bytes are those of one iteration.
struct StateReport {
  struct Copied {
    std::string_view name;  ///< "weights", "gradients", "optimizer", "activations"
    Bytes to_far;
    Bytes to_near;
  };
  std::array<Copied, 4> copied{};
  Bytes far_home;                   ///< always in far memory
  std::int64_t far_parameters = 0;  ///< whose optimiser's state is there
  std::int64_t far_updates = 0;     ///< steps
  Duration far_busy;                ///< their sum
  Duration near_updates;            ///< of those that the device runs
  std::string
      far_rate;  ///< how fast far updates are, and whose figure that is; empty: there are none
};

struct RunReport {
  RunInputs inputs;
  bool feasible = false;
  std::optional<OutOfMemory> out_of_memory;
  Duration iteration_time;
  double samples_per_s = 0;
  Duration compute_time;    ///< sum of this plan's first-run tasks
  Duration reference_time;  ///< the same at full batch with the fastest algorithms it may use
  double slowdown = 0;      ///< iteration_time / reference_time
  std::optional<Duration> lower_bound;
  std::int64_t sub_batch = 1;  ///< samples of a round; the batch where there is one round
  std::int64_t rounds = 1;
  bool norms_by_round = false;  ///< batch norms take their statistics over a round, not the batch
  std::string bound_class;      ///< "schedules that only move tensors"
  Bytes peak_near;
  Bytes budget_near;
  bool gradients_freed =
      false;  ///< those of the weights are static nowhere, but made in every iteration
  std::optional<Bytes> planned_for;  ///< of it, where the plan leaves the rest to the allocator
  bool keeps_gradients = false;      ///< static, though the framework frees them
  Bytes peak_far;
  Bytes in_core_peak;
  std::optional<BytesByCategory>
      peak_near_by_category;  ///< of runs that took place, where asked for
  std::optional<BytesByCategory> peak_far_by_category;
  Bytes to_far;
  Bytes to_near;
  Bytes inputs_to_far;   ///< of to_far: network inputs, which stand in no layer's row
  Bytes inputs_to_near;  ///< of to_near
  double compute_utilization = 0;
  std::array<Duration, kStallCauses> stalls{};
  std::int64_t parameters = 0;
  std::int64_t trainable_parameters = 0;  ///< of them those that are not frozen
  std::int64_t forward_macs = 0;          ///< per sample
  Bytes saved;                            ///< at the batch
  Bytes static_bytes;
  /// The largest single loss (limit_name: "link to near memory", "slower algorithms", ...) and its share of
  /// the iteration; "compute" and compute_utilization when none costs 5 %. It does not say what would help
  /// most: other losses together and compute itself may cost more.
  std::string limited_by;
  double limited_share = 0;
  std::optional<PaperEstimate> paper;  ///< of runs of schedules that have closed forms
  std::string link_limited_by;         ///< "connection", "far memory", "near memory"
  std::optional<Bytes> largest_hole;   ///< with an addressed allocator: reserved for its reports
  std::vector<WhatIf> what_if;
  std::optional<SequenceRates> sequence;
  std::optional<BytesByCategory> in_core_by_category;  ///< of jobs that lack near memory
  std::vector<Lever> levers;                           ///< likewise
  std::vector<WhatIf> worth;       ///< the same with a little less; only of schedules that optimize
  bool in_words = false;           ///< the table says in words what becomes of the layers' tensors
  std::optional<TimeRange> range;  ///< where reports of a rate in use differ, and it matters
  std::optional<StateReport> state;  ///< where it moves
  std::vector<LayerReport> layers;
  std::vector<StepReport> steps;                  ///< only when asked for
  std::optional<std::vector<MovedTensor>> moved;  ///< likewise
  std::optional<Roofline> roofline;               ///< likewise
  std::optional<Equations> equations;             ///< likewise
  std::vector<std::string> assumed;
  std::vector<std::string> remarks;  ///< what the prediction leaves out, for people
};

/// Bytes that suffice in the memory that is too small, or, where a run decides, at least that much; unset: not known.
[[nodiscard]] std::optional<Bytes> needed_bytes(const OutOfMemory& oom);
/// Bytes that the job lacks of what there is, or, where needs are not known, that its step lacks.
[[nodiscard]] Bytes lacking_bytes(const OutOfMemory& oom, Bytes there);
[[nodiscard]] Bytes lacking_bytes(const RunReport& report);

/// What costs most of the time beyond the reference: compute that takes longer than there, tasks that run again, or a
/// wait.
struct LargestLoss {
  std::optional<StallCause> cause;  ///< unset: compute that takes longer
  double share = 0;                 ///< of the iteration
};
/// None when nothing is lost. Of equals compute, then the first cause.
[[nodiscard]] std::optional<LargestLoss> largest_loss(const RunReport& report);
/// As limited_by says it.
[[nodiscard]] std::string_view limit_name(StallCause cause);
[[nodiscard]] std::string_view limit_name(const LargestLoss& loss, const RunReport& report);

/// What `inspect` says of a network at one batch; times only where a hardware profile is given.
struct NetworkReport {
  std::string network;
  std::string source;
  std::string dtype;
  std::string precision;       ///< as in RunInputs
  std::string gradient_dtype;  ///< likewise
  std::string adapter_dtype;   ///< likewise
  std::optional<std::string> hardware;
  std::int64_t batch = 1;
  std::string framework;
  std::string framework_meaning;  ///< as in RunInputs
  std::string accounting;
  std::string optimizer;
  std::string compute;  ///< compute model, with hardware
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> inputs;  ///< name, shape
  std::int64_t parameters = 0;
  std::int64_t trainable_parameters = 0;  ///< of them those that are not frozen
  std::int64_t active_parameters = 0;  ///< of them those that one step of a sequence goes through
  std::int64_t forward_macs_per_sample = 0;
  std::int64_t forward_macs = 0;    ///< at the batch, as the layers' are
  std::int64_t forward_flops = 0;   ///< at the batch
  std::int64_t backward_flops = 0;  ///< at the batch
  Bytes saved;                      ///< at the batch
  Bytes weight_copies;              ///< beside it: those that backward reads
  Bytes saved_inputs;               ///< of it: network inputs, which no layer writes
  Bytes static_bytes;
  bool gradients_freed = false;  ///< as in RunReport
  Bytes in_core_peak;
  std::optional<Duration> compute_time;  ///< all tasks, with hardware
  std::vector<LayerReport> layers;       ///< times are 0 without hardware
  std::vector<std::string> assumed;
};

}  // namespace ooc
