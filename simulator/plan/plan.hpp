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
  kCompute,     ///< task run by the GPU
  kToFar,       ///< copy to host memory
  kToNear,      ///< copy to GPU memory
  kFarCompute,  ///< task run by the host's processor; takes no GPU memory
};

/// One item for each queue. Each StepKind has a queue of its own, which queue_index() numbers.
template <class Item>
using ByQueue = std::array<Item, 4>;

[[nodiscard]] constexpr std::size_t queue_index(StepKind kind) {
  return static_cast<std::size_t>(kind);
}

struct Step {
  StepKind kind = StepKind::kCompute;
  bool recompute = false;  ///< true: reruns a task, or runs an overhead task (is_overhead)
  /// True: copy on page faults within a task (unified memory); compute stands still meanwhile.
  bool on_demand = false;
  /// True: copy in of what an update in host memory wrote; waits for the copy count as update.
  bool for_update = false;
  bool exchange = false;           ///< true: copy between devices (is_collective)
  std::int32_t object = 0;         ///< TaskId (kCompute, kFarCompute) or TensorId, as an index
  AlternativeId alternative = {};  ///< algorithm that runs the task; unused for copies
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
  std::int32_t object = 0;  ///< TensorId (kTensor); else TaskId of the block's first user
};

/// Record of a step for the engine, in queue order, so that a run walks memory forwards. Queues are
/// in order, so all waits for one queue are one number.
struct QueuedStep {
  StepId step;
  std::int32_t cost = 0;  ///< AlternativeId (kCompute, kFarCompute) or TensorId, as an index
  ByQueue<std::int32_t> needs{};  ///< by queue: number of its steps that must have ended
  bool recompute = false;
  bool on_demand = false;
  bool shared_releases = false;  ///< true if Plan::shared_releases has a row for this step
  Bytes acquired;                ///< bytes of the blocks that the step takes
  Bytes released;                ///< bytes of blocks that this step alone frees
};

/// Properties of a plan beside steps and blocks.
struct PlanHeader {
  Bytes static_bytes = {};  ///< in GPU memory throughout (weights, optimiser states)
  /// Factor by which tensors are smaller in host memory; copies still move all their bytes.
  Ratio far_compression = kOne;
  bool far_powers_of_two = false;  ///< far_bytes() are rounded up to a power of two
  FarGradients far_gradients = FarGradients::kFreed;
  bool one_stream = false;      ///< copies in run on the stream of the kernels, and share its cache
  bool sums_on_stream = false;  ///< kGradient blocks are allocated on a stream of their own
};

struct Plan : PlanHeader {
  std::vector<Step> steps;  ///< in sequence order, by which the engine breaks ties
  std::vector<Block> blocks;
  Csr<StepId, StepId> waits;            ///< by step: steps that must end before it starts
  Csr<StepId, BlockId> acquires;        ///< by step: blocks taken at its start
  Csr<BlockId, StepId> releasers;       ///< by block: steps whose last end frees the block
  Csr<StepId, BlockId> releases;        ///< by step: blocks that it is a releaser of
  std::vector<BlockId> initial_blocks;  ///< in GPU memory before any step (network inputs)
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

  // The fields below are derived from those above by PlanBuilder.
  std::vector<std::int32_t> positions;      ///< by step: index on its queue
  ByQueue<std::vector<QueuedStep>> queued;  ///< records in queue order
  /// By step: its blocks with several possible last users. Releasers that certainly end before another one of the
  /// same block are left out. No rows if there is no such block.
  Csr<StepId, BlockId> shared_releases;
  std::vector<std::int32_t> shared_release_counts;  ///< by block: steps with it in shared_releases
};

/// Job that does not fit in a tier of memory, with what would suffice.
struct OutOfMemory {
  std::string step;    ///< name of the first task or copy that lacks memory
  Bytes wanted;        ///< bytes that this step takes at once
  Bytes free;          ///< free bytes when the step is to start
  Bytes largest_hole;  ///< largest contiguous free range; equals `free` for the ideal allocator
  struct Holder {
    std::string name;
    Bytes bytes = {};
    bool powers_of_two = false;  ///< true: its blocks are rounded up to powers of two
  };
  std::vector<Holder> holders = {};  ///< memory in use at that time, largest first
  /// Bytes of `tier` that suffice while one byte less does not; unset: unknown (fragmentation).
  std::optional<Bytes> smallest_budget = {};
  /// Lower bound on smallest_budget, if that is unset; unset: no bound is known.
  std::optional<Bytes> least_budget = {};
  /// Bytes of host memory that a plan takes if it may take any amount, with least_budget if set; unset: not what lacks.
  std::optional<Bytes> far_taken = {};
  enum class Tier { kNear, kFar } tier = Tier::kNear;
};

/// Result of make_plan.
using PlanResult = std::variant<Plan, OutOfMemory>;

}  // namespace ooc
