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

/// Items by queue; each kind of steps has its own.
template <class Item>
using ByQueue = std::array<Item, 4>;

[[nodiscard]] constexpr std::size_t queue_index(StepKind kind) {
  return static_cast<std::size_t>(kind);
}

struct Step {
  StepKind kind = StepKind::kCompute;
  bool recompute = false;  ///< kCompute: reruns a task, or runs an overhead task (is_overhead)
  /// Copy on page faults within a task (unified memory); compute stands still meanwhile.
  bool on_demand = false;
  /// Copy back of a far update's result; waiting for it counts as waiting for the update.
  bool for_update = false;
  bool exchange = false;           ///< copy of what devices exchange (is_collective)
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
};

/// Record of a step for the engine, in queue order, so that a run walks memory forwards. Queues are
/// in order, so all waits for one queue are one number.
struct QueuedStep {
  StepId step;
  std::int32_t cost = 0;  ///< AlternativeId (kCompute, kFarCompute) or TensorId, as an index
  ByQueue<std::int32_t> needs{};  ///< number of steps of that queue that must have ended
  bool recompute = false;
  bool on_demand = false;
  bool shared_releases = false;  ///< true if Plan::shared_releases has a row for this step
  Bytes acquired;                ///< bytes of the blocks that the step takes
  Bytes released;                ///< bytes of blocks that this step alone frees
};

/// Properties of a plan beside steps and blocks.
struct PlanHeader {
  Bytes static_bytes = {};  ///< always resident
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
  ByQueue<std::vector<StepId>> queues;  ///< steps in queue order

  [[nodiscard]] const std::vector<StepId>& queue(StepKind kind) const {
    return queues[queue_index(kind)];
  }
  [[nodiscard]] bool has_far_compute() const { return !queue(StepKind::kFarCompute).empty(); }
  /// Returns the bytes in host memory of a tensor of `bytes`, rounded up.
  [[nodiscard]] Bytes far_bytes(Bytes bytes) const {
    const Int128 scaled = Int128{bytes.count()} * kOne.count() + far_compression.count() - 1;
    const auto exact = static_cast<std::int64_t>(scaled / far_compression.count());
    if (!far_powers_of_two || exact == 0) return Bytes(exact);
    return Bytes(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(exact))));
  }

  // Derived from the above by PlanBuilder::finish():
  std::vector<std::int32_t> positions;      ///< by step: index on its queue
  ByQueue<std::vector<QueuedStep>> queued;  ///< records in queue order
  /// By step: blocks with several possible last users. Releasers that certainly end before another one of the same
  /// block are left out.
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
  /// Lower bound on that budget, if unknown; a run with it failed.
  std::optional<Bytes> least_budget = {};
  /// Far memory that least_budget takes, where there is less; unset: that is not why it fails.
  std::optional<Bytes> far_at_least = {};
  enum class Tier { kNear, kFar } tier = Tier::kNear;
};

/// Result of make_plan.
using PlanResult = std::variant<Plan, OutOfMemory>;

}  // namespace ooc
