// Memory over time, worked out from a plan and the times its steps got: near memory for the trace's
// counter track, far memory for the peak that a host must provide, and both by what they hold.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/summary/memory_category.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

struct MemorySample {
  Duration at;
  Bytes bytes;  ///< from `at` on, static bytes included
};

struct MemoryQuery {
  const Plan& plan;
  const Timeline& timeline;
  Bytes budget;  ///< orders zero-length steps of one instant as the engine did
  int device = 0;
};

/// Every change of near-memory use, in time order. Several samples may share an instant (steps of
/// zero length); the largest one is Timeline::peak_near under the ideal allocator.
[[nodiscard]] std::vector<MemorySample> near_memory_over_time(const MemoryQuery& query);

/// What is held from `at` on.
struct CategorySample {
  Duration at;
  BytesByCategory held;
};

/// The same by category: every change of one of them; the sums are those samples.
[[nodiscard]] std::vector<CategorySample> near_categories_over_time(const MemoryQuery& query,
                                                                    const TrainingGraph& graph);

/// Of the device that is the first to reach Timeline::peak_near, at that instant; they add up to it. Where an
/// allocator holds more than what lives, at the instant at which most lives, and the rest is unused.
[[nodiscard]] BytesByCategory peak_near_by_category(const MemoryQuery& query,
                                                    const TrainingGraph& graph);

/// A far copy lives from the start of its first ToFar to the end of its last ToNear, without one to the end of the
/// iteration; network inputs do not count: the host has them anyway. State at home there lives all the time, and its
/// gradients as Plan::far_gradients says.
struct FarStay {
  TensorId tensor;
  Bytes bytes;
  Duration from;
  Duration until;
  std::optional<StepId> out = {};  ///< with which it comes; none: it is there from the start
};
[[nodiscard]] std::vector<FarStay> far_stays(const Plan& plan, const TrainingGraph& graph,
                                             const CostTable& costs, const Timeline& timeline);

/// The largest number of bytes with a far copy alive.
[[nodiscard]] Bytes peak_far_bytes(const Plan& plan, const TrainingGraph& graph,
                                   const CostTable& costs, const Timeline& timeline);

/// What of that no times change, of a plan for one device without state at home in far memory.
struct FarUse {
  struct Life {
    Bytes bytes;
    StepId out;                  ///< its first ToFar
    std::optional<StepId> back;  ///< its last ToNear
  };
  std::vector<Life> lives;           ///< in the order of their queue
  std::vector<std::size_t> by_back;  ///< those that come back, in the order of that queue
};
/// None for other plans.
[[nodiscard]] std::optional<FarUse> far_use(const Plan& plan, const TrainingGraph& graph,
                                            const CostTable& costs);
/// peak_far_bytes() of it; allocates nothing.
[[nodiscard]] Bytes peak_far_bytes(const FarUse& use, const Timeline& timeline);

/// What far memory holds when it first holds that much; they add up to it.
[[nodiscard]] BytesByCategory peak_far_by_category(const Plan& plan, const TrainingGraph& graph,
                                                   const CostTable& costs,
                                                   const Timeline& timeline);

/// Every change of it, in time order, one sample an instant.
[[nodiscard]] std::vector<CategorySample> far_categories_over_time(const Plan& plan,
                                                                   const TrainingGraph& graph,
                                                                   const CostTable& costs,
                                                                   const Timeline& timeline);

}  // namespace ooc
