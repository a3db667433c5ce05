// Model states (weights, gradients, optimiser states) in host memory, or of several devices
// (docs/model.md, 9 and 10). States that move become tensors of a new graph, updates by the host's
// processor become tasks of it. All other states stay static.
//
// Schedules plan with `planned`, not with that graph: the network's graph without far updates, same
// tensors, same tasks. GPU memory that states take during a task is known before any plan
// (`booked`) and planned as workspace of that task. Then the copies of states are inserted into the
// finished plan (simulator/plan/weave_state.hpp, docs/notebook/0028-state-that-moves.md).
//
// States move by units: the layers of a block ("blk/3"), its split experts ("blk/3/experts"), or
// one layer. Weights shared by several layers are a unit. Whole gradients that devices sum do so by
// buckets ("bucket.3").
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

enum class UpdateAt { kNear, kFar };  ///< kNear: by the GPU; kFar: by the host's processor
/// Start of updates by the host's processor.
enum class UpdateAfter {
  kAll,   ///< after all gradients have arrived, as for clipping or overflow checks
  kEach,  ///< each after its own unit's gradient has arrived
};
/// Place at which gradients of several micro-batches add up.
enum class AccumulateAt {
  kUsual,  ///< kFar if gradients leave GPU memory, else kNear
  kNear,   ///< GPU memory; the sums leave in the last micro-batch
  kFar,    ///< host memory; its processor adds each micro-batch's gradients
};
enum class StateUnits {
  kAuto,
  kLayer,
  kBlock
};  ///< kAuto: blocks, if several have more than one layer; but layers for near updates in backward

/// Model states that devices hold in shards; each value includes those before it.
enum class Shard {
  kNone,       ///< gradients are summed whole, on every device, before the updates
  kOptimizer,  ///< ZeRO-1
  kGradients,  ///< ZeRO-2, FSDP's SHARD_GRAD_OP
  kWeights,    ///< ZeRO-3, FSDP's FULL_SHARD: a unit's weights are gathered for each use
};

/// Bytes of a bucket of PyTorch's DistributedDataParallel (bucket_cap_mb = 25). The first is a 25th, to begin early.
inline constexpr std::int64_t kGradientBucket = std::int64_t{25} << 20;
inline constexpr std::int64_t kFirstBuckets = 25;

/// Returns the largest share of a batch that `devices` split as evenly as possible, in samples.
[[nodiscard]] constexpr std::int64_t largest_share(std::int64_t batch, int devices) {
  return (batch + devices - 1) / devices;
}

/// Model states that are in host memory between iterations, and how they move. Default: none.
struct StateOptions {
  std::optional<Ratio> optimizer =
      {};  ///< share of the parameters whose states are far, by order of gradients; unset: none
  bool gradients = false;  ///< true: gradients of far states leave GPU memory once complete
  /// Share of the units whose weights are in host memory, evenly spread; unset: none. Without
  /// `optimizer` and with far `update`, only frozen weights move.
  std::optional<Ratio> weights = {};
  UpdateAt update = UpdateAt::kFar;
  UpdateAfter after = UpdateAfter::kAll;
  bool delayed = false;   ///< updates use the gradients of the previous iteration
  bool pipelined = true;  ///< false: first all gradients out, then all updates, then all weights in
  int prefetch = 1;       ///< number of units copied in ahead of the one in use
  int gradient_slots = 2;                           ///< most units with gradients near at once
  std::optional<std::int64_t> gradient_bytes = {};  ///< bytes of an element copied; unset: as near
  StateUnits units = StateUnits::kAuto;
  /// True: updates run as soon as their gradients are complete, which frees the gradients.
  bool in_backward = false;
  AccumulateAt accumulate = AccumulateAt::kUsual;
  FarGradients far_gradients = FarGradients::kFreed;
  std::int64_t update_passes =
      0;  ///< bytes a parameter that far updates of the software move beside the optimiser's
  /// Rate limit of memory traffic in the software's far updates on a server; unset: only the memory's rate.
  std::optional<BytesPerSecond> update_limit = {};
  Sharding sharding = Sharding::kByUse;
  std::int64_t reuse =
      0;  ///< weights stay near if fewer parameters are used before they are; 0: off
  bool pageable_returns = false;  ///< weights near come back by pageable copies, after all far updates
  Duration hooks = {};  ///< Software::hooks
  HooksOn hooks_on = HooksOn::kSharded;
  Shard shard = Shard::kNone;
  int devices = 1;  ///< number that share states by `shard`; if experts are split, fewer share each
  std::int64_t bucket =
      kGradientBucket;  ///< bytes of gradients that close a bucket of Shard::kNone
  /// Number of devices on one host, whose processor updates their shards; unset: all devices.
  std::optional<int> host_devices = {};
  int threads = 0;  ///< threads of a process that updates on the host; 0: as many as it needs

  [[nodiscard]] bool any() const {
    return optimizer || gradients || weights || in_backward || shards(Shard::kOptimizer);
  }
  [[nodiscard]] bool shards(Shard what) const { return devices > 1 && shard >= what; }
  /// Returns the number of units ahead of the one in use that are in GPU memory or on their way.
  [[nodiscard]] std::size_t ahead(bool backward) const {
    return static_cast<std::size_t>(prefetch) +
           (backward && sharding == Sharding::kFsdp1 && shards(Shard::kWeights) ? 1 : 0);
  }
  /// True if the host's processor runs optimiser updates.
  [[nodiscard]] bool updates_far() const { return optimizer && update == UpdateAt::kFar; }
  [[nodiscard]] bool operator==(const StateOptions&) const = default;
};

/// Throws SpecError at the flag for combinations that cannot run.
void check_state(const StateOptions& options);

/// Layers whose states move together.
struct StateUnit {
  std::string name;
  std::vector<LayerId> owners = {};
  int devices = 1;  ///< devices that share the unit; for split experts, those with the same experts
  std::int64_t parameters = 0;        ///< number of trained parameters
  std::int64_t weights = 0;           ///< number of parameters, frozen ones too
  ParameterBytes learnt = {0, 0, 0};  ///< sums over trained parameters, in bytes
  std::int64_t frozen_bytes = 0;      ///< bytes of frozen weights; 0 unless weights move
  std::int64_t far_parameters = 0;    ///< trained parameters with optimiser states in host memory
  // Tensors and tasks of MovingState::graph; unset: that state does not move.
  std::optional<TensorId> weight = {};
  std::optional<TensorId> shard =
      {};  ///< this device's shard, if far updates return it and `weight` is gathered
  /// Gradient for far updates, and for near ones within backward; of the first micro-batch if each has its own.
  std::optional<TensorId> gradient = {};
  std::optional<TensorId> sum = {};  ///< sum over micro-batches, in host memory
  std::optional<TensorId> state = {};
  std::optional<TaskId> update = {};  ///< far update of the unit
  /// Tensors in host memory that are copied in for the unit's update. All except gradients are copied out again.
  std::vector<TensorId> visits = {};
  bool weights_far = false;
  bool weights_come = false;  ///< copied in from host memory, or gathered, for each use
  bool is_root = false;       ///< whole from its first use in forward to the end of backward

  /// Returns the weights that the unit's far update writes: `shard`, or `weight` if there is none.
  [[nodiscard]] const std::optional<TensorId>& updated() const { return shard ? shard : weight; }
};

/// Gradients of a unit in GPU memory: of all micro-batches, or of one if they are summed in host memory.
struct StateGradient {
  std::size_t unit = 0;
  TensorId gradient;
  std::optional<TensorId> sent = {};  ///< tensor copied out: the gradient or a cast of it
  std::optional<TaskId> added = {};   ///< far task that adds it; unset for the first micro-batch
  Bytes piece = {};     ///< kFsdp1: buffer that gradients are copied into at the last writer
  Bytes held = {};      ///< kFsdp1: shard that stays near to the end of backward
  bool is_last = true;  ///< true for the unit's last gradient
  // Tasks of MovingState::planned that write the gradient:
  std::optional<std::size_t> first_writer = {};
  std::size_t last_writer = 0;
};

struct MovingState {
  StateOptions options;
  TrainingGraph planned;         ///< graph that schedules see
  TrainingGraph graph;           ///< graph that plans run
  std::vector<StateUnit> units;  ///< in the order of their first layers
  /// By task of `planned`: unit whose weights it uses, whose gradients it writes, or which it updates.
  std::vector<std::optional<std::size_t>> unit_of;
  std::vector<std::size_t> by_gradient;  ///< units in the order in which gradients are complete
  std::vector<StateGradient> gradients;  ///< sorted by unit, then micro-batch
  std::vector<std::optional<std::size_t>> gradient_of;  ///< by planned task: index into `gradients`
  std::vector<TaskId> task_of;  ///< by task of `planned`: the network's task
  std::vector<Ratio> share;     ///< by task of `planned`: share of its task_of; < 1: partial update
  std::vector<Bytes> booked;    ///< by task of `planned`: bytes of GPU memory for states
  Bytes booked_anywhere;        ///< bound of `booked` before the updates, for any order of tasks
  /// By far task: bytes read and written in host memory, for all devices of a host.
  std::vector<std::int64_t> far_bytes;
  Bytes taken;  ///< bytes of GPU memory freed by moving states

  /// Returns the index behind the last task of the micro-batch that `task` is in.
  [[nodiscard]] std::size_t round_end(std::size_t task) const {
    const std::size_t round = planned.round_tasks;
    return round > 0 ? (task / round + 1) * round : planned.backward_end;
  }
  /// Returns the task behind which the gradient may leave.
  [[nodiscard]] std::size_t leaves_behind(const StateGradient& gradient) const {
    return options.pipelined ? gradient.last_writer : round_end(gradient.last_writer) - 1;
  }
};

/// Returns the states of `graph`, which is one device's and need not outlive the result. Throws as check_state.
[[nodiscard]] MovingState move_state(const TrainingGraph& graph, const StateOptions& options);

/// Returns `round`, for schedules that plan one micro-batch, with each task's booked memory raised to its maximum over
/// the micro-batches of `all`. `round`: without accumulation; `all`: the same iteration with accumulation.
[[nodiscard]] MovingState book_for_rounds(MovingState round, const MovingState& all);

/// Returns by task of `round` the maximum of `all`, by task of the iteration, over the micro-batches.
[[nodiscard]] std::vector<Bytes> most_of_rounds(const TrainingGraph& round, std::int64_t rounds,
                                                const std::vector<Bytes>& all);

/// Compute step of a plan.
struct PlannedRun {
  TaskId task;         ///< of MovingState::planned
  bool again = false;  ///< true: a recomputation
};
/// Returns all tasks of `planned`, once and in order.
[[nodiscard]] std::vector<PlannedRun> runs_once(const MovingState& state);
/// Returns by task the GPU memory that states take in a plan of these compute steps: the most of all runs of the task.
[[nodiscard]] std::vector<Bytes> booked_by(const MovingState& state,
                                           std::span<const PlannedRun> runs);
/// Returns a bound of booked_by() before the updates, for any order of tasks (booked_anywhere).
[[nodiscard]] Bytes booked_in_any_order(const MovingState& state);

/// Interval of compute steps during which a unit's weights are in GPU memory.
struct WeightStay {
  std::size_t unit = 0;
  std::optional<std::size_t> fetch_after =
      {};                       ///< compute step after which its copy in may start; unset: at once
  std::size_t booked_from = 0;  ///< compute step after fetch_after, from which memory is booked
  std::size_t first_use = 0;
  std::size_t last = 0;  ///< last compute step that uses the weights
};
/// Use of weights by one compute step of a sequence.
struct WeightUse {
  std::optional<std::size_t> unit;  ///< unset: uses no unit's weights
  bool backward = false;            ///< backward, or forward again
};
/// Returns the residency intervals of weights in order of arrival. A position is a run of compute steps that use one
/// unit in one pass. Meanwhile only this unit, those of the next positions that are `ahead`, and the root are near or
/// on their way.
[[nodiscard]] std::vector<WeightStay> weight_stays(std::span<const WeightUse> uses,
                                                   const std::vector<StateUnit>& units,
                                                   const StateOptions& options);
[[nodiscard]] std::vector<WeightStay> weight_stays(const MovingState& state,
                                                   std::span<const PlannedRun> runs);

/// GPU memory for states that is added to the workspaces of tasks.
enum class Booking {
  kNone,
  kByTask,    ///< MovingState::booked
  kAnywhere,  ///< booked_anywhere for each task before the updates, for schedules that rerun tasks
};
/// Returns the costs of `planned`, with the copy costs of `costs`, those of the network's graph.
[[nodiscard]] CostTable planned_costs(const MovingState& state, const CostTable& costs,
                                      Booking booking);
/// Adds the time of collectives over the devices' own links to copies of sharded states.
/// Precondition: `costs.transfers` are those of host_bytes().
void add_collectives(const MovingState& state, const PeerLink& peers, CostTable& costs);
/// Makes each unit's tasks longer for the collectives that run beside (PeerLink::taken): a gather beside each pass if
/// weights are prefetched, sums of gradients beside backward if they leave within it.
void slow_beside_collectives(const MovingState& state, const PeerLink& peers, CostTable& costs);
/// Returns the costs of MovingState::graph, without transfers. `costs`: of the network's graph.
[[nodiscard]] CostTable moving_costs(const MovingState& state, const CostTable& costs,
                                     const FarCompute& far);

/// Returns whole x part / of; 0 if `of` is 0.
[[nodiscard]] inline std::int64_t part_of(std::int64_t whole, std::int64_t part, std::int64_t of) {
  return of == 0 ? 0 : static_cast<std::int64_t>(Int128{whole} * part / of);
}
[[nodiscard]] inline std::int64_t share_of(std::int64_t whole, Ratio share) {
  return part_of(whole, share.count(), kOne.count());
}

}  // namespace ooc
