// Model states (weights, gradients, optimiser states) in host memory, or of several devices
// (docs/model.md, 9 and 10). States that move become tensors of a new graph, updates by the host's
// processor become tasks of it. All other states stay static.
//
// Schedules plan with `planned`, not with that graph: the network's graph without far updates, same
// tensors, same tasks. GPU memory that states take during a task is known before any plan
// (`booked`) and planned as workspace of that task. Then the copies of states are inserted into the
// finished plan (simulator/plan/weave_state.hpp, docs/notebook/0028-state-that-moves.md).
//
// States move by units: the layers of a block ("blk/3"), its split experts ("blk/3/experts"), or one layer. Weights
// shared by several layers are a unit. Whole gradients that devices sum do so by buckets ("bucket.3").
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/base/copy_rules.hpp"
#include "model/base/units.hpp"
#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

/// Processor that updates parameters whose optimiser states are in host memory. kNear: GPU; kFar: host.
enum class UpdateAt { kNear, kFar };
/// Start of updates by the host's processor.
enum class UpdateAfter {
  kAll,   ///< after all gradients have arrived, as for clipping or overflow checks
  kEach,  ///< a unit's update after that unit's gradient has arrived
};
/// Memory in which gradients of several micro-batches are added up.
enum class AccumulateAt {
  kUsual,  ///< kFar if gradients leave for host memory, else kNear
  kNear,   ///< GPU memory; the sums leave in the last micro-batch
  kFar,    ///< host memory; its processor adds each micro-batch's gradients
};
/// Layers that form a unit. kAuto: a block if two blocks or more have several layers with weights, else one layer; one
/// layer, too, with updates within backward by the GPU.
enum class StateUnits { kAuto, kLayer, kBlock };

/// Model states of which each device holds one shard; each value includes those before it.
enum class Shard {
  kNone,       ///< no states; each device sums all gradients before the updates
  kOptimizer,  ///< optimiser states (ZeRO-1)
  kGradients,  ///< and gradients (ZeRO-2, FSDP's SHARD_GRAD_OP)
  kWeights,    ///< and weights, gathered for each use (ZeRO-3, FSDP's FULL_SHARD)
};

/// Bytes of a bucket of PyTorch's DistributedDataParallel (bucket_cap_mb = 25). The first has 1 MiB, to begin early.
inline constexpr std::int64_t kGradientBucket = std::int64_t{25} << 20;
inline constexpr std::int64_t kFirstBuckets = 25;  ///< size of a bucket over that of the first

/// Returns the samples of the largest share, if `devices` split a batch as evenly as possible.
[[nodiscard]] constexpr std::int64_t largest_share(std::int64_t batch, int devices) {
  return (batch + devices - 1) / devices;
}

/// Model states that are in host memory between iterations or in shards on several devices, and how
/// they move. By default all stay in the memory of one GPU.
struct StateOptions {
  /// Share of the trained parameters whose optimiser states are in host memory: those whose gradients are complete
  /// first. Unset: none.
  std::optional<Ratio> optimizer = {};
  bool gradients =
      false;  ///< true: gradients of parameters with far states leave GPU memory; false: they stay
  /// Share of the units whose weights are in host memory, evenly spread; unset: none. Trained weights stay near if
  /// `update` is far without `optimizer`, and, if `update` is near, in units that have frozen weights as well.
  std::optional<Ratio> weights = {};
  UpdateAt update = UpdateAt::kFar;
  UpdateAfter after = UpdateAfter::kAll;
  bool delayed = false;   ///< true: updates use the gradients of the previous iteration
  bool pipelined = true;  ///< false: first all gradients out, then all updates, then all weights in
  int prefetch = 1;       ///< number of units whose weights arrive ahead of the unit in use
  int gradient_slots = 2;  ///< limit of units whose gradients are in GPU memory at once
  /// Bytes of a gradient's number when copied to host memory; unset: as in GPU memory.
  std::optional<std::int64_t> gradient_bytes = {};
  StateUnits units = StateUnits::kAuto;
  /// True: a unit's update runs within backward, as soon as its gradients are complete, and frees them.
  bool in_backward = false;
  AccumulateAt accumulate = AccumulateAt::kUsual;
  FarGradients far_gradients = FarGradients::kFreed;
  /// Bytes a parameter that the software's far updates move in host memory beside those of the optimiser itself.
  std::int64_t update_passes = 0;
  /// Rate limit of the software's far updates, if neither the profile nor --far-compute states a rate; unset: none.
  std::optional<BytesPerSecond> update_limit = {};
  Sharding sharding = Sharding::kByUse;
  /// Weights stay near until their next use in the micro-batch if fewer parameters than this are used before; 0: never.
  std::int64_t reuse = 0;
  /// Weights of units in front of the unit in use are fetched while fewer parameters than this are near; 0: by `prefetch`.
  std::int64_t live = 0;
  /// True: updated weights that stay in GPU memory are copied back by pageable copies, after all far updates.
  bool pageable_returns = false;
  /// True: 16-bit gradients leave by pageable copies, which the host then casts, while backward waits.
  bool pageable_gradients = false;
  Duration hooks = {};  ///< Software::hooks: host time for each object of hooks_on
  HooksOn hooks_on = HooksOn::kSharded;
  Shard shard = Shard::kNone;
  int devices = 1;  ///< number that share the states; of split experts each is shared by fewer
  std::int64_t bucket = kGradientBucket;  ///< Shard::kNone: bytes of gradients summed together
  /// Number of devices on one host, whose processor updates their shards; unset: all devices.
  std::optional<int> host_devices = {};
  int threads = 0;  ///< host threads of a device's far updates; 0: no limit by threads

  [[nodiscard]] bool any() const {
    return optimizer || gradients || weights || in_backward || shards(Shard::kOptimizer);
  }
  [[nodiscard]] bool shards(Shard what) const { return devices > 1 && shard >= what; }
  /// Returns the number of units ahead of the unit in use whose weights are in GPU memory or on their way.
  [[nodiscard]] std::size_t ahead(bool backward) const {
    return static_cast<std::size_t>(prefetch) +
           (backward && sharding == Sharding::kFsdp1 && shards(Shard::kWeights) ? 1 : 0);
  }
  /// True if the host's processor runs optimiser updates.
  [[nodiscard]] bool updates_far() const { return optimizer && update == UpdateAt::kFar; }
  [[nodiscard]] bool operator==(const StateOptions&) const = default;
};

/// Throws SpecError at the flag for a combination of options that cannot run.
void check_state(const StateOptions& options);

/// Layers whose states move together.
struct StateUnit {
  std::string name;
  std::vector<LayerId> owners = {};  ///< layers of the unit, without layers tied to them
  int devices = 1;  ///< devices that share the unit; for split experts, those with the same experts
  std::int64_t parameters = 0;        ///< number of trained parameters
  std::int64_t weights = 0;           ///< number of parameters, frozen ones too
  ParameterBytes learnt = {0, 0, 0};  ///< bytes of all trained parameters; `state` is unused
  std::int64_t frozen_bytes = 0;      ///< bytes of frozen weights; 0 unless weights move
  std::int64_t far_parameters = 0;    ///< trained parameters with optimiser states in host memory
  // Tensors and tasks of MovingState::graph; unset: that state does not move.
  std::optional<TensorId> weight = {};
  /// This device's shard of the weights, if far updates copy it back and `weight` is gathered.
  std::optional<TensorId> shard = {};
  /// Gradient, if copied to host memory, summed over devices or freed within backward; the first micro-batch's.
  std::optional<TensorId> gradient = {};
  std::optional<TensorId> sum = {};    ///< sum of gradients over micro-batches, in host memory
  std::optional<TensorId> state = {};  ///< optimiser states in host memory
  std::optional<TaskId> update = {};   ///< update by the host's processor
  /// Tensors in host memory copied in for an update by the GPU. All except gradients are copied out again.
  std::vector<TensorId> visits = {};
  bool weights_far = false;   ///< true: weights are in host memory between iterations
  bool weights_come = false;  ///< true: weights are copied in, or gathered, for each use
  /// True: FSDP-1's unit of all layers outside blocks. Its weights stay from the first use to the end of backward.
  bool is_root = false;

  /// Returns the weights that the unit's far update writes: `shard`, or `weight` if there is none.
  [[nodiscard]] const std::optional<TensorId>& updated() const { return shard ? shard : weight; }
};

/// Gradients of a unit in GPU memory: the sum over micro-batches, or one micro-batch's if each leaves GPU memory.
struct StateGradient {
  std::size_t unit = 0;  ///< index into MovingState::units
  TensorId gradient;
  std::optional<TensorId> sent = {};  ///< tensor to copy: the gradient or a cast; unset: none
  std::optional<TaskId> added = {};   ///< far task that adds it to StateUnit::sum; unset: none
  Bytes piece = {};  ///< kFsdp1, sharded weights: buffer for gradients during last_writer; else 0
  Bytes held = {};   ///< kFsdp1: gradient's shard, near to end of backward if it goes far; else 0
  bool is_last = true;  ///< true: the gradient of the unit's last micro-batch, or of all
  // First and last task of MovingState::planned that write the gradient:
  std::optional<std::size_t> first_writer = {};
  std::size_t last_writer = 0;
};

struct MovingState {
  StateOptions options;
  TrainingGraph planned;         ///< graph that schedules plan: without far updates
  TrainingGraph graph;           ///< graph that runs: with far updates and moving states
  std::vector<StateUnit> units;  ///< in the order of their first layers
  /// By task of `planned`: index of the unit whose weights the task uses or updates, or whose gradients it writes.
  std::vector<std::optional<std::size_t>> unit_of;
  std::vector<std::size_t> by_gradient;  ///< indices of units, first complete gradients first
  std::vector<StateGradient> gradients;  ///< sorted by unit, then micro-batch
  /// By task of `planned`: index into `gradients` of the gradient that the task writes; unset: none.
  std::vector<std::optional<std::size_t>> gradient_of;
  std::vector<TaskId> task_of;  ///< by task of `planned`: the network's task
  std::vector<Ratio> share;     ///< by task of `planned`: share of that task's work; < 1: updates
  std::vector<Bytes> booked;    ///< by task of `planned`: GPU memory that moving states take
  Bytes booked_anywhere;        ///< upper bound of `booked` before updates, for any order of tasks
  /// By far task, in the order of `graph`: bytes read and written in host memory, for all devices of a host.
  std::vector<std::int64_t> far_bytes;
  Bytes taken;  ///< bytes by which static GPU memory is smaller than with all states in it

  /// Returns the number of tasks up to the end of backward of the micro-batch that `task` is in.
  [[nodiscard]] std::size_t round_end(std::size_t task) const {
    const std::size_t round = planned.round_tasks;
    return round > 0 ? (task / round + 1) * round : planned.backward_end;
  }
  /// Returns the task after which the gradient may be copied out.
  [[nodiscard]] std::size_t leaves_behind(const StateGradient& gradient) const {
    return options.pipelined ? gradient.last_writer : round_end(gradient.last_writer) - 1;
  }
};

/// Returns the states of `graph`, one device's, which need not outlive the result. Throws SpecError as check_state, for
/// updates within backward with several micro-batches, and for far weights if none can move.
[[nodiscard]] MovingState move_state(const TrainingGraph& graph, const StateOptions& options);

/// Returns `round`, for schedules that plan one micro-batch, with each task's booked memory raised to its maximum over
/// the micro-batches of `all`. `round`: without accumulation; `all`: the same iteration with accumulation.
[[nodiscard]] MovingState book_for_rounds(MovingState round, const MovingState& all);

/// Returns, by task of `round`, the largest bytes of that task in any micro-batch. `all`: by task of the iteration.
[[nodiscard]] std::vector<Bytes> most_of_rounds(const TrainingGraph& round, std::int64_t rounds,
                                                const std::vector<Bytes>& all);

/// Compute step of a plan.
struct PlannedRun {
  TaskId task;         ///< task of MovingState::planned
  bool again = false;  ///< true: runs a second time, for a recomputation
};
/// Returns a run of each task of `planned`, in order.
[[nodiscard]] std::vector<PlannedRun> runs_once(const MovingState& state);
/// Returns, by task of `planned`, the most GPU memory that moving states take in any of the task's runs among `runs`.
[[nodiscard]] std::vector<Bytes> booked_by(const MovingState& state,
                                           std::span<const PlannedRun> runs);
/// Returns MovingState::booked_anywhere.
[[nodiscard]] Bytes booked_in_any_order(const MovingState& state);

/// Interval of compute steps during which a unit's weights are in GPU memory.
struct WeightStay {
  std::size_t unit = 0;  ///< index into MovingState::units
  /// Compute step after which the copy in may start; unset: at the start of the iteration.
  std::optional<std::size_t> fetch_after = {};
  std::size_t booked_from = 0;  ///< first compute step at which the weights take GPU memory
  std::size_t first_use = 0;    ///< first compute step that uses the weights
  std::size_t last = 0;         ///< last compute step at which the weights take GPU memory
};
/// Use of weights by one compute step of a sequence.
struct WeightUse {
  std::optional<std::size_t> unit;  ///< index into MovingState::units; unset: uses no weights
  bool backward = false;            ///< true: backward task, or recomputation of a forward task
};
/// Returns the residency intervals of weights in order of arrival. A position is a series of compute steps that use one
/// unit in one pass. During a position, the weights of these units are near or on their way: its own, those of the next
/// options.ahead() positions or more (options.live), the root, and those kept for another use (options.reuse).
[[nodiscard]] std::vector<WeightStay> weight_stays(std::span<const WeightUse> uses,
                                                   const std::vector<StateUnit>& units,
                                                   const StateOptions& options);
[[nodiscard]] std::vector<WeightStay> weight_stays(const MovingState& state,
                                                   std::span<const PlannedRun> runs);

/// GPU memory of moving states that is added to the workspaces of tasks.
enum class Booking {
  kNone,
  kByTask,    ///< MovingState::booked, for schedules that run each task once
  kAnywhere,  ///< booked_anywhere for each task before the updates, for schedules that recompute
};
/// Returns the costs of `planned`. `costs`: of the network's graph, whose copy costs are kept.
[[nodiscard]] CostTable planned_costs(const MovingState& state, const CostTable& costs,
                                      Booking booking);
/// Adds the time of collectives over the links between devices to the copy costs of sharded states.
/// Precondition: `costs.transfers` are those of host_bytes().
void add_collectives(const MovingState& state, const PeerLink& peers, CostTable& costs);
/// Lengthens each unit's tasks by what collectives beside them cost (PeerLink::taken): a gather of weights beside each
/// pass unless `prefetch` is 0, a sum of gradients beside backward if `pipelined`.
void slow_beside_collectives(const MovingState& state, const PeerLink& peers, CostTable& costs);
/// Returns the costs of MovingState::graph, without transfers. `costs`: of the network's graph.
[[nodiscard]] CostTable moving_costs(const MovingState& state, const CostTable& costs,
                                     const FarCompute& far);

/// Returns whole x part / of, rounded down; 0 if `of` is 0.
[[nodiscard]] inline std::int64_t part_of(std::int64_t whole, std::int64_t part, std::int64_t of) {
  return of == 0 ? 0 : static_cast<std::int64_t>(Int128{whole} * part / of);
}
[[nodiscard]] inline std::int64_t share_of(std::int64_t whole, Ratio share) {
  return part_of(whole, share.count(), kOne.count());
}

}  // namespace ooc
