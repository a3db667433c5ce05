// Common code of checkpoint schedules: the cuts into blocks that --blocks allows, and the choice among them.
#pragma once

#include <functional>
#include <vector>

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

}  // namespace ooc
