// Common code of checkpoint schedules: the cuts into blocks that --blocks allows, and the choice among them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/graph/training_graph.hpp"
#include "simulator/schedules/mix_segments.hpp"

namespace ooc {

/// Rule of a schedule that decides on the tensors, given the blocks.
using BlockPolicy =
    std::function<Decisions(const MixFacts&, const MixSegments&, const SegmentEnds&)>;

/// Returns the cuts that --blocks allows, whatever the budget.
[[nodiscard]] std::vector<SegmentEnds> block_cuts(const PlanningProblem& problem,
                                                  const MixFacts& facts,
                                                  const MixSegments& segments);

/// Whether tensors at the ends of blocks stay near or may move.
enum class BlockInputs { kStay, kMove };

/// Plans without recomputation if --blocks is auto and everything fits; else with the fastest cut
/// that fits. If none fits, returns the smallest shortage.
[[nodiscard]] PlanResult plan_blocks(const PlanningProblem& problem, BlockInputs inputs,
                                     const BlockPolicy& policy);

/// Returns the block number by forward task. A block is a run of tasks whose layers share a
/// block_name(). A layer without one is a block.
[[nodiscard]] std::vector<std::uint32_t> blocks_of_tasks(const TrainingGraph& graph);

/// Returns by forward task whether its layer is in a numbered block, as users wrap blocks.
/// Embedding, final norm, head and loss are in none. If no name has a number, all are.
[[nodiscard]] std::vector<bool> wrapped_tasks(const TrainingGraph& graph);

}  // namespace ooc
