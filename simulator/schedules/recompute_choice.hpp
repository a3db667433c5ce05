// Choice of what to drop and recompute: nothing if everything fits, else as few segments as
// suffice.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/graph/training_graph.hpp"
#include "simulator/schedules/mix_segments.hpp"
#include "simulator/schedules/run_list.hpp"

namespace ooc {

/// Returns the largest sets of segments that may be dropped, as the use of each segment under
/// --recompute: all segments; and, if different, the segments whose recomputation needs no more
/// memory than the largest task.
[[nodiscard]] std::vector<std::vector<SegmentUse>> sets_to_drop(const PlanningProblem& problem,
                                                                const Segments& segments);

/// Returns the segments that `most` drops, by time per byte freed, cheapest first; ties in
/// execution order.
[[nodiscard]] std::vector<std::size_t> cheapest_first(const Segments& segments,
                                                      const std::vector<SegmentUse>& most);

/// Returns the uses in `most` for the first `count` segments of `order`; kKept for the others.
[[nodiscard]] std::vector<SegmentUse> drop_first(const std::vector<std::size_t>& order,
                                                 std::size_t count,
                                                 const std::vector<SegmentUse>& most);

[[nodiscard]] bool fits(const PlanningProblem& problem, const Footprint& footprint);

/// Returns the run list that drops the fewest segments that suffice, preferring those that free the most bytes for
/// their time. Precondition: dropping none does not fit, dropping all of `most` does.
[[nodiscard]] RunList drop_fewest(const PlanningProblem& problem, const Segments& segments,
                                  const std::vector<SegmentUse>& most);

/// Returns the shortage with the smaller budget; ties: the first.
[[nodiscard]] OutOfMemory lesser_shortage(OutOfMemory first, OutOfMemory second);

// Common code of checkpoint schedules: the cuts into blocks that --blocks allows, and the choice among them.

/// Schedule's function from blocks to decisions on tensors.
using BlockPolicy =
    std::function<Decisions(const MixFacts&, const MixSegments&, const SegmentEnds&)>;

/// Residency of tensors at the ends of blocks: always near, or free to move.
enum class BlockInputs { kStay, kMove };

/// Returns a plan without recomputation if --blocks is auto and everything fits; else the fastest
/// cut that fits. If none fits, returns the smallest shortage.
[[nodiscard]] PlanResult plan_blocks(const PlanningProblem& problem, BlockInputs inputs,
                                     const BlockPolicy& policy);

/// Returns the block number by forward task. A block is a run of tasks whose layers share a
/// block_name(). A layer without one is a block.
[[nodiscard]] std::vector<std::uint32_t> blocks_of_tasks(const TrainingGraph& graph);

}  // namespace ooc
