// What the checkpoint schedules share: which cuts into blocks --blocks asks for, and which of them is taken.
#pragma once

#include <functional>
#include <vector>

#include "simulator/schedules/mix_segments.hpp"

namespace ooc {

/// One of them says what becomes of tensors, given the blocks.
using BlockPolicy =
    std::function<Decisions(const MixFacts&, const MixSegments&, const SegmentEnds&)>;

/// The cuts that --blocks allows. They do not depend on the budget.
[[nodiscard]] std::vector<SegmentEnds> block_cuts(const PlanningProblem& problem,
                                                  const MixFacts& facts,
                                                  const MixSegments& segments);

/// Whether the tensors that the policy moves do.
enum class BlockInputs { kStay, kMove };

/// With --blocks auto everything near where that fits, else the quickest cut that fits. Where none fits: the
/// shortage of that which needs least.
[[nodiscard]] PlanResult plan_blocks(const PlanningProblem& problem, BlockInputs inputs,
                                     const BlockPolicy& policy);

}  // namespace ooc
