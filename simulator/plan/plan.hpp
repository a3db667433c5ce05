// The instruction list that any schedule can emit and one engine runs (docs/architecture.md, 1, 2).
// Steps sit on in-order queues; a step waits for other steps and takes near-memory blocks when it
// starts; a block is freed when the last of its releasers ends. Immutable once built (PlanBuilder).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/base/csr.hpp"
#include "model/base/ids.hpp"
#include "model/base/units.hpp"
#include "model/cost/cost_table.hpp"
#include "model/rewrite/far_gradients.hpp"

namespace ooc {

enum class StepKind : std::uint8_t {
  kCompute,
  kToFar,
  kToNear,
  kFarCompute,  ///< a task that the processor at far memory runs; it holds no near memory
};

/// Queue of a step: three per device, in this order. Behind those of the device, where a plan has one at all, and
/// then only of one device, that of far compute.
[[nodiscard]] constexpr std::int32_t queue_index(int device, StepKind kind) {
  return device * 3 + static_cast<std::int32_t>(kind);
}

struct Step {
  StepKind kind = StepKind::kCompute;
  bool recompute = false;  ///< a Compute that repeats a task, or is overhead (is_overhead)
  /// A copy that page faults within a task ask for (unified memory): compute stands still for it.
  bool on_demand = false;
  /// A copy that brings back what a far update wrote: waiting for it is waiting for that update.
  bool for_update = false;
  std::int16_t device = 0;
  std::int32_t object = 0;    ///< TaskId (kCompute, kFarCompute) or TensorId index
  AlternativeId alternative;  ///< the former: how the task is run
};

/// Whether a step runs a task; else it copies a tensor.
[[nodiscard]] constexpr bool runs_task(StepKind kind) {
  return kind == StepKind::kCompute || kind == StepKind::kFarCompute;
}

enum class BlockKind : std::uint8_t {
  kTensor,
  kWorkspace,
  kGradient,  ///< of weights, where they are not static (CostTable::gradients)
};

struct Block {
  Bytes bytes;
  BlockKind kind = BlockKind::kTensor;
  std::int32_t object =
      0;  ///< TensorId (kTensor) or the TaskId that it works for, or that begins it
  std::int16_t device = 0;
};

/// What the engine reads of a step: one record per step in the order of its queue, so that a run
/// walks memory forwards. Queues are in order, so all waits for one queue are one number.
struct QueuedStep {
  StepId step;
  std::int32_t cost = 0;  ///< AlternativeId (kCompute, kFarCompute) or TensorId index
  /// By StepKind up to kToNear: how many steps of that queue of its own device must have ended; none of a
  /// kFarCompute, whose waits, as waits for one, are all among Plan::remote_needs.
  std::array<std::int32_t, 3> needs{};
  bool recompute = false;
  bool on_demand = false;
  bool remote_needs = false;     ///< Plan::remote_needs has a row for it
  bool shared_releases = false;  ///< Plan::shared_releases has a row for it
  Bytes acquired;                ///< sum of its acquires
  Bytes released;                ///< of the blocks of its device that it frees all by itself
};

/// `count` steps of a queue of another device, or of far compute, must have ended.
struct QueueNeed {
  std::int32_t queue = 0;  ///< queue_index
  std::int32_t count = 0;
};

struct Plan {
  std::vector<Step> steps;  ///< in sequence order: the tie-breaker of the engine
  std::vector<Block> blocks;
  Csr<StepId, StepId> waits;                ///< steps that must have ended before the row's starts
  Csr<StepId, BlockId> acquires;            ///< blocks taken when the row's step starts
  Csr<BlockId, StepId> releasers;           ///< the block is freed when the last of these has ended
  Csr<StepId, BlockId> releases;            ///< the same, by step
  std::vector<BlockId> initial_blocks;      ///< resident before anything starts (network inputs)
  std::vector<std::vector<StepId>> queues;  ///< by queue_index: the steps in their order
  Bytes static_bytes;                       ///< always resident on each device
  int devices = 1;
  /// A tensor takes so many times less in far memory than near; copies move it as it is.
  Ratio far_compression = kOne;
  bool far_powers_of_two = false;  ///< CopyRules::far_powers_of_two
  FarGradients far_gradients = FarGradients::kFreed;
  [[nodiscard]] bool has_far_compute() const {
    return queues.size() > static_cast<std::size_t>(devices) * 3;
  }
  /// What a tensor of `bytes` takes in far memory, rounded up.
  [[nodiscard]] Bytes far_bytes(Bytes bytes) const {
    const Int128 scaled = Int128{bytes.count()} * kOne.count() + far_compression.count() - 1;
    const auto exact = static_cast<std::int64_t>(scaled / far_compression.count());
    if (!far_powers_of_two || exact == 0) return Bytes(exact);
    return Bytes(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(exact))));
  }

  // Derived from the above by PlanBuilder::finish().
  std::vector<std::int32_t> positions;          ///< by step: its place on its queue, from 0
  std::vector<std::vector<QueuedStep>> queued;  ///< by queue_index, as `queues`
  Csr<StepId, QueueNeed>
      remote_needs;  ///< waits across devices and for or of far compute; no rows if none
  /// Blocks that more than one step may be the last to use, and blocks of other devices, by step; a
  /// releaser that certainly ends before another one of the same block is left out.
  Csr<StepId, BlockId> shared_releases;
  std::vector<std::int32_t> shared_release_counts;  ///< by block: its rows in shared_releases
};

/// The job does not fit: a value, reported like a result.
struct OutOfMemory {
  std::string step;    ///< name of the task or copy that cannot get its memory
  Bytes wanted;        ///< bytes it needs at once
  Bytes free;          ///< bytes that are free
  Bytes largest_hole;  ///< largest contiguous free range (= free for the ideal allocator)
  struct Holder {
    std::string name;
    Bytes bytes;
  };
  std::vector<Holder> holders;  ///< who holds the rest, largest first
  /// That budget suffices, one byte less does not; none when unknown (fragmentation).
  std::optional<Bytes> smallest_budget;
  /// Where that is not known: no smaller one suffices, and only without fragmentation does this one.
  std::optional<Bytes> least_budget = {};
  enum class Tier { kNear, kFar } tier = Tier::kNear;
};

/// What make_plan returns.
using PlanResult = std::variant<Plan, OutOfMemory>;

}  // namespace ooc
