// The event loop keeps sums, not blocks; which blocks are held is worked out here, once, from the steps
// that have ended.
#include "simulator/engine/blocked.hpp"

#include <algorithm>

namespace ooc {

Blocked describe(const StoppedRun& run) {
  const Plan& plan = run.plan;
  Blocked result{.step = run.head.step,
                 .wanted = run.head.acquired,
                 .free = Bytes(run.free),
                 .largest_hole = Bytes(run.largest_hole),
                 .holders = {}};
  const auto ended = [&](StepId id) {
    const Step& step = plan.steps[id.at()];
    const auto queue = static_cast<std::size_t>(queue_index(step.device, step.kind));
    return plan.positions[id.at()] < run.done[queue];
  };
  const auto add_if_held = [&](BlockId id) {
    const auto releasers = plan.releasers[id];
    const bool freed = !releasers.empty() && std::all_of(releasers.begin(), releasers.end(), ended);
    const bool here = static_cast<std::size_t>(plan.blocks[id.at()].device) == run.device;
    if (here && !freed) result.holders.push_back(id);
  };
  for (const BlockId id : plan.initial_blocks) add_if_held(id);
  for (std::size_t step = 0; step < plan.steps.size(); ++step) {
    const auto id = make_id<StepId>(step);
    if (!ended(id)) continue;  // nothing is running: what has not ended has not started
    for (const BlockId block : plan.acquires[id]) add_if_held(block);
  }
  std::sort(result.holders.begin(), result.holders.end(), [&](BlockId a, BlockId b) {
    const Bytes first = plan.blocks[a.at()].bytes;
    const Bytes second = plan.blocks[b.at()].bytes;
    return first != second ? first > second : a < b;
  });
  return result;
}

Blocked initial_blocks_too_large(const Plan& plan, std::int64_t room) {
  Bytes wanted;
  for (const BlockId id : plan.initial_blocks) wanted += plan.blocks[id.at()].bytes;
  return {.step = StepId{0},
          .wanted = wanted,
          .free = Bytes(room),
          .largest_hole = Bytes(room),
          .holders = {}};
}

}  // namespace ooc
