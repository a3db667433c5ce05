// Memory over time, as folds over the events of a run: near memory as blocks are taken and freed, far memory as
// copies come and go, both by what they hold.
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

/// Bytes held from `at` on.
struct MemorySample {
  Duration at;
  BytesByCategory held;
};

/// Every change of what near memory holds, by device and in time order. Steps of zero length may leave two samples at
/// one instant: a peak and what is held behind it. The largest is Timeline::peak_near under the ideal allocator.
[[nodiscard]] std::vector<std::vector<MemorySample>> near_memory_over_time(
    const Plan& plan, const TrainingGraph& graph, const Timeline& timeline);

/// Returns GPU memory at its first peak over all devices; adds up to Timeline::peak_near. If an
/// allocator reserves more than live blocks: at the peak of live blocks, with the rest as unused.
[[nodiscard]] BytesByCategory peak_near_by_category(const Plan& plan, const TrainingGraph& graph,
                                                    const Timeline& timeline);

/// Copies in far memory. One lives from the start of its first ToFar to the end of its last ToNear or far reader,
/// without one to the end of the iteration; network inputs do not count: the host has them anyway. State at home there
/// lives all the time, and its gradients as Plan::far_gradients says.
struct FarMemory {
  std::vector<Block> blocks;  ///< of tensors
  std::vector<BlockId> initial;
  Csr<StepId, BlockId> takes;  ///< by step: when it starts
  Csr<StepId, BlockId> gives;  ///< by step: when it ends, if it is the last of `givers`
  Csr<BlockId, StepId> givers;
};
[[nodiscard]] FarMemory far_memory(const Plan& plan, const TrainingGraph& graph,
                                   const CostTable& costs);

/// Every change of what far memory holds, in time order, one sample an instant.
[[nodiscard]] std::vector<MemorySample> far_memory_over_time(const Plan& plan,
                                                             const TrainingGraph& graph,
                                                             const CostTable& costs,
                                                             const Timeline& timeline);
/// What far memory holds when it first holds most.
[[nodiscard]] BytesByCategory peak_far_by_category(const Plan& plan, const TrainingGraph& graph,
                                                   const CostTable& costs,
                                                   const Timeline& timeline);

/// What of far memory no times change, of a plan for one device without state at home there.
struct FarUse {
  struct Life {
    Bytes bytes;
    StepId out;                  ///< step of the first copy out
    std::optional<StepId> back = {};  ///< step of the last copy in; unset: none
  };
  std::vector<Life> lives;           ///< in order of their copies out
  std::vector<std::size_t> by_back;  ///< indices of lives copied in, in that queue's order
};
/// Unset: not such a plan.
[[nodiscard]] std::optional<FarUse> far_use(const Plan& plan, const TrainingGraph& graph,
                                            const CostTable& costs);
/// The sum of peak_far_by_category(), from spans alone; allocates nothing.
[[nodiscard]] Bytes peak_far_bytes(const FarUse& use, const Timeline& timeline);

}  // namespace ooc
