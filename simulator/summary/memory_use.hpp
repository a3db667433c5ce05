// Memory over time, computed from the events of a run: GPU memory as blocks are taken and freed,
// host memory as copies come and go, both by category.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/summary/run_report.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

/// Bytes in use from the instant `at` until the next sample.
struct MemorySample {
  Duration at;
  BytesByCategory held;
};

/// Returns every change of GPU memory in use, in time order, from Timeline::events. Steps of zero length may leave two
/// samples at one instant: a peak and the state after it. With kLiveness and kIdeal the largest is Timeline::peak_near.
[[nodiscard]] std::vector<MemorySample> near_memory_over_time(const Plan& plan,
                                                              const TrainingGraph& graph,
                                                              const Timeline& timeline);

/// Returns GPU memory at its first peak, from Timeline::events; adds up to Timeline::peak_near. If an
/// allocator reserves more than live blocks: GPU memory at the peak of live blocks, with the rest as unused.
[[nodiscard]] MemorySample near_memory_at_peak(const Plan& plan, const TrainingGraph& graph,
                                               const Timeline& timeline);

/// Copies of tensors in host memory. A copy lives from the start of its first ToFar to the end of its last ToNear or of
/// its last reader on the host; without these, to the end of the iteration. Network inputs do not count: the host keeps
/// them. Model states with TensorHome::kFar live all the time; Plan::far_gradients says how long their gradients live.
struct FarMemory {
  std::vector<Block> blocks;     ///< one block a tensor
  std::vector<BlockId> initial;  ///< blocks in use from the start
  Csr<StepId, BlockId> takes;    ///< by step: blocks taken at its start
  Csr<StepId, BlockId> gives;    ///< by step: blocks that may be freed at its end, see `givers`
  Csr<BlockId, StepId> givers;   ///< by block: freed when the last of these steps ends; none: never
};
[[nodiscard]] FarMemory far_memory(const Plan& plan, const TrainingGraph& graph,
                                   const CostTable& costs);

/// Returns every change of host memory in use, in time order, one sample an instant, from Timeline::events.
[[nodiscard]] std::vector<MemorySample> far_memory_over_time(const Plan& plan,
                                                             const TrainingGraph& graph,
                                                             const CostTable& costs,
                                                             const Timeline& timeline);
/// Returns host memory by category at its first peak, from Timeline::events.
[[nodiscard]] BytesByCategory peak_far_by_category(const Plan& plan, const TrainingGraph& graph,
                                                   const CostTable& costs,
                                                   const Timeline& timeline);

/// Facts of host memory use that do not depend on times, for a plan without model states in host memory.
struct FarUse {
  struct Life {
    Bytes bytes;
    StepId out;                       ///< step of the first copy out
    std::optional<StepId> back = {};  ///< step of the last copy in; unset: none
  };
  std::vector<Life> lives;           ///< tensors copied out, in that order; no network inputs
  std::vector<std::size_t> by_back;  ///< indices of `lives` with `back` set, in the order of `back`
};
/// Returns these facts of a plan; unset: model states are in host memory (TensorHome::kFar).
[[nodiscard]] std::optional<FarUse> far_use(const Plan& plan, const TrainingGraph& graph,
                                            const CostTable& costs);
/// Returns the total of peak_far_by_category(), without Timeline::events; allocates nothing.
[[nodiscard]] Bytes peak_far_bytes(const FarUse& use, const Timeline& timeline);

}  // namespace ooc
