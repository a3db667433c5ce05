// Choice of what to drop and recompute: nothing if everything fits, else few segments that suffice.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/graph/training_graph.hpp"
#include "simulator/schedules/mix_segments.hpp"
#include "simulator/schedules/run_list.hpp"

namespace ooc {

/// Returns one or two lists with the use of each segment under --recompute. First: all segments are
/// dropped. Second, if different: only those whose recomputation needs no more memory than the
/// largest task.
[[nodiscard]] std::vector<std::vector<SegmentUse>> sets_to_drop(const PlanningProblem& problem,
                                                                const Segments& segments);

/// Returns the indices of the segments that `most` drops, in order of recomputation time per byte
/// freed, cheapest first; ties: in execution order.
[[nodiscard]] std::vector<std::size_t> cheapest_first(const Segments& segments,
                                                      const std::vector<SegmentUse>& most);

/// Returns the uses in `most` for the first `count` segments of `order`; kKept for the others.
[[nodiscard]] std::vector<SegmentUse> drop_first(const std::vector<std::size_t>& order,
                                                 std::size_t count,
                                                 const std::vector<SegmentUse>& most);

/// True if static bytes and the footprint are within the budget at all positions.
[[nodiscard]] bool fits(const PlanningProblem& problem, const Footprint& footprint);

/// Returns the runs that drop the first n segments of cheapest_first(). n segments suffice, n - 1 do not; a smaller
/// number might (bisection). Precondition: dropping none does not fit, dropping all of `most` does.
[[nodiscard]] RunList drop_fewest(const PlanningProblem& problem, const Segments& segments,
                                  const std::vector<SegmentUse>& most);

/// Returns the OutOfMemory with the smaller smallest_budget; ties: the first.
[[nodiscard]] OutOfMemory lesser_shortage(OutOfMemory first, OutOfMemory second);

// Common code of checkpoint schedules: cuts of the forward pass as --blocks allows, and the choice of a cut.

/// Function of a checkpoint schedule that returns the decisions for a cut into blocks.
using BlockPolicy =
    std::function<Decisions(const MixFacts&, const MixSegments&, const SegmentEnds&)>;

/// Whether inputs of blocks stay in GPU memory, or may move to host memory.
enum class BlockInputs { kStay, kMove };

/// Returns a plan without recomputation if --blocks is auto and everything fits; else the plan of the fastest cut that
/// fits. If none fits, returns the OutOfMemory with the smallest budget. Throws SpecError for invalid --blocks.
[[nodiscard]] PlanResult plan_blocks(const PlanningProblem& problem, BlockInputs inputs,
                                     const BlockPolicy& policy);

/// Returns the block number by forward task. A block is a run of tasks whose layers share a
/// block_name(). A layer without one is a block.
[[nodiscard]] std::vector<std::uint32_t> blocks_of_tasks(const TrainingGraph& graph);

}  // namespace ooc
