// Model states (weights, gradients, optimiser states) in host memory, or of several devices
// (docs/model.md, 9 and 10). States that move become tensors of a new graph; updates by the host's processor become tasks of it. All
// other states stay static.
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

enum class UpdateAt { kNear, kFar };
enum class UpdateAfter {
  kAll,   ///< after all gradients have arrived, as for clipping or overflow checks
  kEach,  ///< after its own gradient has arrived
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
};  ///< kAuto: blocks, if there are several with more than one layer

/// Model states that devices hold in shards; each value includes those before it.
enum class Shard {
  kNone,       ///< gradients are summed whole, on every device, before the updates
  kOptimizer,  ///< ZeRO-1
  kGradients,  ///< ZeRO-2, FSDP's SHARD_GRAD_OP
  kWeights,    ///< ZeRO-3, FSDP's FULL_SHARD: a unit's weights are gathered for each use
};

/// Bucket of PyTorch's DistributedDataParallel (bucket_cap_mb = 25), whose first is a 25th of it, so that sums begin early.
inline constexpr std::int64_t kGradientBucket = std::int64_t{25} << 20;
inline constexpr std::int64_t kFirstBuckets = 25;

/// Returns the largest share of a batch that is split as evenly as possible.
[[nodiscard]] constexpr std::int64_t largest_share(std::int64_t batch, int devices) {
  return (batch + devices - 1) / devices;
}

/// Model states that are in host memory between iterations, and how they move. Default: none.
struct StateOptions {
  std::optional<Ratio> optimizer =
      {};  ///< share of the parameters, from those with the first gradients on; unset: none
  bool gradients = false;  ///< gradients leave GPU memory as soon as they are complete
  /// Share of the units, evenly spread; unset: none. If neither `optimizer` nor a near `update` is
  /// set, only frozen weights move.
  std::optional<Ratio> weights = {};
  UpdateAt update = UpdateAt::kFar;
  UpdateAfter after = UpdateAfter::kAll;
  bool delayed = false;   ///< updates use the gradients of the previous iteration
  bool pipelined = true;  ///< false: first all gradients out, then all updates, then all weights in
  int prefetch = 1;       ///< units of weights copied in while another is in use
  int gradient_slots = 2;                           ///< units of gradients in GPU memory at once
  std::optional<std::int64_t> gradient_bytes = {};  ///< bytes an element copied; unset: as near
  StateUnits units = StateUnits::kAuto;
  /// True: updates run as soon as their gradients are complete, which frees the gradients.
  bool in_backward = false;
  AccumulateAt accumulate = AccumulateAt::kUsual;
  FarGradients far_gradients = FarGradients::kFreed;
  std::int64_t update_passes =
      0;  ///< bytes a parameter of the software's far updates beside the optimiser's
  /// Limit of memory traffic in the software's far updates on a server; unset: none but the memory's.
  std::optional<BytesPerSecond> update_limit = {};
  Sharding sharding = Sharding::kByUse;
  std::int64_t reuse =
      0;                ///< a unit's weights stay if fewer parameters are used before it is again
  Duration hooks = {};  ///< as in Software
  HooksOn hooks_on = HooksOn::kSharded;
  Shard shard = Shard::kNone;
  int devices = 1;  ///< number that share states by `shard`; experts may be split over fewer
  std::int64_t bucket =
      kGradientBucket;  ///< bytes of gradients that close a bucket of Shard::kNone
  /// Number of them on one host, whose processor updates their shards; unset: all.
  std::optional<int> host_devices = {};
  int threads = 0;  ///< of a process's updates on the host; 0: as many as it needs

  [[nodiscard]] bool any() const {
    return optimizer || gradients || weights || in_backward || shards(Shard::kOptimizer);
  }
  [[nodiscard]] bool shards(Shard what) const { return devices > 1 && shard >= what; }
  /// Returns the number of units ahead of the one in use that are near or on their way.
  [[nodiscard]] std::size_t ahead(bool backward) const {
    return static_cast<std::size_t>(prefetch) +
           (backward && sharding == Sharding::kFsdp1 && shards(Shard::kWeights) ? 1 : 0);
  }
  /// True if optimiser updates run in host memory.
  [[nodiscard]] bool updates_far() const { return optimizer && update == UpdateAt::kFar; }
  [[nodiscard]] bool operator==(const StateOptions&) const = default;
};

/// Throws SpecError at the flag for combinations that cannot run.
void check_state(const StateOptions& options);

/// Layers whose states move together.
struct StateUnit {
  std::string name;
  std::vector<LayerId> owners = {};
  int devices = 1;  ///< devices with equal shards; for split experts, with the same experts
  std::int64_t parameters = 0;        ///< trained parameters
  std::int64_t weights = 0;           ///< parameters, frozen ones too
  ParameterBytes learnt = {0, 0, 0};  ///< sums over trained parameters, in bytes
  std::int64_t frozen_bytes = 0;      ///< bytes of frozen weights; 0 unless weights move
  std::int64_t far_parameters = 0;    ///< trained parameters with optimiser states in host memory
  // Tensors and tasks of MovingState::graph; unset: not a tensor.
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

  /// Returns the tensor that the unit's update leaves in host memory.
  [[nodiscard]] const std::optional<TensorId>& updated() const { return shard ? shard : weight; }
};

/// Gradients of a unit in GPU memory: of all micro-batches, or of one if they are summed in host memory.
struct StateGradient {
  std::size_t unit = 0;
  TensorId gradient;
  std::optional<TensorId> sent = {};  ///< tensor copied out: the gradient or a cast of it
  std::optional<TaskId> added = {};   ///< far task that adds it; unset for the first micro-batch
  Bytes piece = {};     ///< bytes of one piece that the last writer's gradients are copied into
  Bytes held = {};      ///< bytes of the shard that stays in GPU memory behind the last writer
  bool is_last = true;  ///< true for the unit's last gradient
  // Tasks of MovingState::planned that write it:
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
  std::vector<std::size_t> by_gradient;  ///< units by the instant at which gradients are complete
  std::vector<StateGradient> gradients;  ///< sorted by unit, then micro-batch
  std::vector<std::optional<std::size_t>> gradient_of;  ///< by task of `planned`: its gradient
  std::vector<TaskId> task_of;  ///< by task of `planned`: the network's task
  std::vector<Ratio> share;     ///< by task of `planned`: share of it; < 1: part of an update
  std::vector<Bytes> booked;    ///< by task of `planned`: bytes of GPU memory for states
  Bytes booked_anywhere;        ///< maximum of `booked` before the updates, in any task order
  /// By far task: bytes read and written in host memory, for all devices.
  std::vector<std::int64_t> far_bytes;
  Bytes taken;  ///< bytes of GPU memory freed by moving states

  /// Returns the end of the tasks of a task's micro-batch.
  [[nodiscard]] std::size_t round_end(std::size_t task) const {
    const std::size_t round = planned.round_tasks;
    return round > 0 ? (task / round + 1) * round : planned.backward_end;
  }
  /// Returns the task behind which the gradient may leave.
  [[nodiscard]] std::size_t leaves_behind(const StateGradient& gradient) const {
    return options.pipelined ? gradient.last_writer : round_end(gradient.last_writer) - 1;
  }
};

/// Returns the states of `graph`, which is one device's and need not outlive the result. Throws SpecError.
[[nodiscard]] MovingState move_state(const TrainingGraph& graph, const StateOptions& options);

/// Returns `round` with each task's booked memory raised to its maximum over the micro-batches of `all`. Schedules plan
/// a micro-batch with it. `round`: no accumulation; `all`: the same iteration with accumulation.
[[nodiscard]] MovingState book_for_rounds(MovingState round, const MovingState& all);

/// Returns, by task of `round`, the maximum of `all` over the micro-batches.
[[nodiscard]] std::vector<Bytes> most_of_rounds(const TrainingGraph& round, std::int64_t rounds,
                                                const std::vector<Bytes>& all);

/// Compute step of a plan.
struct PlannedRun {
  TaskId task;  ///< of MovingState::planned
  bool again = false;
};
/// Returns all tasks of `planned`, once and in order.
[[nodiscard]] std::vector<PlannedRun> runs_once(const MovingState& state);
/// Returns the GPU memory that states take in a plan of these compute steps, by task: in the run that takes most.
[[nodiscard]] std::vector<Bytes> booked_by(const MovingState& state,
                                           std::span<const PlannedRun> runs);
/// Returns the maximum before the updates, in any order of tasks.
[[nodiscard]] Bytes booked_in_any_order(const MovingState& state);

/// Interval of compute steps during which a unit's weights are in GPU memory.
struct WeightStay {
  std::size_t unit = 0;
  std::optional<std::size_t> fetch_after =
      {};                       ///< compute step after which its copy in may start; unset: at once
  std::size_t booked_from = 0;  ///< compute step after fetch_after, from which memory is booked
  std::size_t first_use = 0;
  std::size_t last = 0;  ///< last compute step of the interval
};
/// Use of weights by one compute step of a sequence.
struct WeightUse {
  std::optional<std::size_t> unit;
  bool backward = false;
};
/// Returns the residency intervals of weights in order of arrival. A position is a run of compute steps that use one
/// unit in one pass. Meanwhile only this unit, those of the next positions that are `ahead`, and the root are near or
/// on their way.
[[nodiscard]] std::vector<WeightStay> weight_stays(std::span<const WeightUse> uses,
                                                   const std::vector<StateUnit>& units,
                                                   const StateOptions& options);
[[nodiscard]] std::vector<WeightStay> weight_stays(const MovingState& state,
                                                   std::span<const PlannedRun> runs);

/// Memory for states that is booked in the workspaces of tasks.
enum class Booking {
  kNone,
  kByTask,
  kAnywhere,  ///< each task has the maximum over all, for schedules that rerun tasks
};
/// Returns the costs of `planned`, with the copies of the network's graph.
[[nodiscard]] CostTable planned_costs(const MovingState& state, const CostTable& costs,
                                      Booking booking);
/// Adds the time of collectives over the devices' own links to copies of sharded states.
/// `costs.transfers`: of host_bytes.
void add_collectives(const MovingState& state, const PeerLink& peers, CostTable& costs);
/// Makes the unit's tasks longer by what collectives of its size take from them: a gather beside each pass where weights
/// are prefetched, sums of gradients beside backward where they leave within it.
void slow_beside_collectives(const MovingState& state, const PeerLink& peers, CostTable& costs);
/// Returns the costs of MovingState::graph, without transfers.
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
