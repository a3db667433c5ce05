// Plan: the list of instructions that schedules emit and the engine runs (docs/architecture.md, 2). Steps sit
// on in-order queues. A step waits for other steps, and takes blocks of GPU memory when it starts. A block is
// freed when the last of its releasers ends. Immutable once built (PlanBuilder).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/base/copy_rules.hpp"
#include "model/base/csr.hpp"
#include "model/base/ids.hpp"
#include "model/base/units.hpp"
#include "model/cost/cost_table.hpp"

namespace ooc {

enum class StepKind : std::uint8_t {
  kCompute,
  kToFar,
  kToNear,
  kFarCompute,  ///< task run by the host's processor; takes no GPU memory
};

/// Returns the index of a queue: three for each device, in this order. The far compute queue, if
/// any, follows those of a single device.
[[nodiscard]] constexpr std::int32_t queue_index(int device, StepKind kind) {
  return device * 3 + static_cast<std::int32_t>(kind);
}

struct Step {
  StepKind kind = StepKind::kCompute;
  bool recompute = false;  ///< kCompute: reruns a task, or runs an overhead task (is_overhead)
  /// Copy on page faults within a task (unified memory); compute stands still meanwhile.
  bool on_demand = false;
  /// Copy back of a far update's result; waiting for it counts as waiting for the update.
  bool for_update = false;
  bool exchange = false;  ///< copy of what devices exchange (is_collective)
  std::int16_t device = 0;
  std::int32_t object = 0;         ///< TaskId (kCompute, kFarCompute) or TensorId, as an index
  AlternativeId alternative = {};  ///< algorithm of a task
};

/// True if the step runs a task; false if it copies a tensor.
[[nodiscard]] constexpr bool runs_task(StepKind kind) {
  return kind == StepKind::kCompute || kind == StepKind::kFarCompute;
}

enum class BlockKind : std::uint8_t {
  kTensor,
  kWorkspace,
  kGradient,  ///< weight gradients, if not static (CostTable::held)
};

struct Block {
  Bytes bytes;
  BlockKind kind = BlockKind::kTensor;
  std::int32_t object =
      0;  ///< TensorId (kTensor), or TaskId that the block serves or that first writes it
  std::int16_t device = 0;
};

/// Record of a step for the engine, in queue order, so that a run walks memory forwards. Queues are
/// in order, so all waits for one queue are one number.
struct QueuedStep {
  StepId step;
  std::int32_t cost = 0;  ///< AlternativeId (kCompute, kFarCompute) or TensorId, as an index
  /// By StepKind up to kToNear: number of steps of that queue of the same device that must have
  /// ended. Waits of and for far compute are in Plan::remote_needs instead.
  std::array<std::int32_t, 3> needs{};
  bool recompute = false;
  bool on_demand = false;
  bool remote_needs = false;     ///< true if Plan::remote_needs has a row for this step
  bool shared_releases = false;  ///< true if Plan::shared_releases has a row for this step
  Bytes acquired;                ///< bytes of the blocks that the step takes
  Bytes released;                ///< bytes of blocks on its device that this step alone frees
};

/// Wait until `count` steps of a queue of another device, or of far compute, have ended.
struct QueueNeed {
  std::int32_t queue = 0;  ///< queue, by queue_index
  std::int32_t count = 0;
};

/// Properties of a plan beside steps and blocks.
struct PlanHeader {
  Bytes static_bytes = {};  ///< always resident on each device
  int devices = 1;
  /// Factor by which tensors are smaller in host memory; copies still move all their bytes.
  Ratio far_compression = kOne;
  bool far_powers_of_two = false;  ///< CopyRules::far_powers_of_two
  FarGradients far_gradients = FarGradients::kFreed;
  bool one_stream = false;      ///< copies in run on the stream of the kernels, and share its cache
  bool sums_on_stream = false;  ///< BlockKind::kGradient is allocated on a stream of its own
};

struct Plan : PlanHeader {
  std::vector<Step> steps;  ///< in sequence order: the tie-breaker of the engine
  std::vector<Block> blocks;
  Csr<StepId, StepId> waits;            ///< by step: steps that must end before it starts
  Csr<StepId, BlockId> acquires;        ///< by step: blocks taken at its start
  Csr<BlockId, StepId> releasers;       ///< by block: it is freed when the last of these steps ends
  Csr<StepId, BlockId> releases;        ///< by step: transpose of `releasers`
  std::vector<BlockId> initial_blocks;  ///< resident before anything starts (network inputs)
  std::vector<std::vector<StepId>> queues;  ///< by queue_index: steps in queue order

  [[nodiscard]] bool has_far_compute() const {
    return queues.size() > static_cast<std::size_t>(devices) * 3;
  }
  /// Returns the bytes in host memory of a tensor of `bytes`, rounded up.
  [[nodiscard]] Bytes far_bytes(Bytes bytes) const {
    const Int128 scaled = Int128{bytes.count()} * kOne.count() + far_compression.count() - 1;
    const auto exact = static_cast<std::int64_t>(scaled / far_compression.count());
    if (!far_powers_of_two || exact == 0) return Bytes(exact);
    return Bytes(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(exact))));
  }

  // Derived from the above by PlanBuilder::finish():
  std::vector<std::int32_t> positions;          ///< by step: index on its queue
  std::vector<std::vector<QueuedStep>> queued;  ///< by queue_index: records in queue order
  Csr<StepId, QueueNeed>
      remote_needs;  ///< waits across devices and of or for far compute; no rows: none
  /// By step: blocks with several possible last users, and blocks of other devices. Releasers that
  /// certainly end before another one of the same block are left out.
  Csr<StepId, BlockId> shared_releases;
  std::vector<std::int32_t> shared_release_counts;  ///< by block: its rows in shared_releases
};

/// Job that does not fit: a value, reported like a result.
struct OutOfMemory {
  std::string step;    ///< name of the task or copy that lacks memory
  Bytes wanted;        ///< bytes needed at once
  Bytes free;          ///< bytes free at that time
  Bytes largest_hole;  ///< largest contiguous free range; equals `free` for the ideal allocator
  struct Holder {
    std::string name;
    Bytes bytes = {};
  };
  std::vector<Holder> holders = {};  ///< blocks in use, largest first
  /// Budget that suffices while one byte less does not; unset: unknown (fragmentation).
  std::optional<Bytes> smallest_budget = {};
  /// Lower bound on that budget, if unknown; suffices only without fragmentation.
  std::optional<Bytes> least_budget = {};
  enum class Tier { kNear, kFar } tier = Tier::kNear;
};

/// Result of make_plan.
using PlanResult = std::variant<Plan, OutOfMemory>;

}  // namespace ooc
