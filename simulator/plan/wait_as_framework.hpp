// Adds the waits of a framework's copies, which schedules do not ask for (docs/model.md, 2;
// docs/notebook/0017). Only this file knows the rules.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/base/copy_rules.hpp"
#include "model/cost/transfer_cost.hpp"
#include "simulator/plan/plan.hpp"

namespace ooc {

/// True if rules or mode change plans.
[[nodiscard]] constexpr bool change_plans(const CopyRules& rules, CopyMode mode) {
  return rules.streams != CopyStreams::kOverlap || rules.pinned_cost > Duration(0) ||
         rules.far_powers_of_two || rules.outs_in_flight > 0 || mode == CopyMode::kPageable;
}

/// Memory that stays to the end of an iteration (model/cost/cost_table.hpp).
struct Stays {
  std::span<const HeldBytes> held = {};  ///< bytes held, by task
  std::span<const TensorId> inputs = {};
};
/// Returns the plan with the waits of CopyStreams, per device. Unless kOverlap, a copy waits for the compute step
/// before it, and copies in are ordered by the first step that waits for them. kFramework: a copy in stands right
/// before the first step, after all that the copy waits for, that waits for any copy in. Up to that step a host
/// that runs ahead has issued steps when it issues the copy. kSerialIn: a copy in stands right before the
/// first step that waits for it; kSerial: and compute steps wait for all earlier copies. If memory is pinned for every copy, copies out
/// wait for the compute step before under kOverlap, too. With a number of copies out in flight, the first compute step
/// after one more waits for the first of them. All waits point back in sequence, so no cycle can arise.
/// Copies between devices stay as they are: they use no GPU memory, and the framework does not make them. Pageable
/// copies, those too, wait for the compute step before, and the compute step after waits for them: the host thread
/// that launches kernels stages them. Where it is wrong: real drivers buffer small copies out and return early, so the
/// model is pessimistic below about 64 KiB. `stays`:
/// from the costs of the plan. Memory booked for them as workspace becomes blocks: gradients from the first
/// writer's start to the end of the last task, inputs present at the start up to then. Precondition: first readers
/// wait for their copies in, or for a later one on the same queue.
[[nodiscard]] Plan wait_as_framework(const Plan& plan, const CopyRules& rules,
                                     CopyMode mode = CopyMode::kPinned, const Stays& stays = {});

/// Sets `delays` by step: ns from the end of the compute step before until the host issues a compute step.
/// Meanwhile the host pins memory for the copies out between the two, `each` per copy. 0 for copies.
void list_pinning(const Plan& plan, Duration each, std::vector<std::int64_t>& delays);

}  // namespace ooc
