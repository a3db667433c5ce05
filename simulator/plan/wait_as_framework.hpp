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

/// True where they change plans.
[[nodiscard]] constexpr bool change_plans(const CopyRules& rules, CopyMode mode) {
  return rules.streams != CopyStreams::kOverlap || rules.pinned_cost > Duration(0) ||
         rules.far_powers_of_two || mode == CopyMode::kPageable;
}

/// The same plan with the waits of CopyStreams, per device. A copy waits for the compute step before it. Copies in come in
/// the order of the first steps that wait for them. kFramework: each right before the first step, behind all that the
/// copy itself waits for, that waits for any copy in: up to there a host that runs ahead has issued steps when it issues
/// the copy. kSerial: each right before the first step that waits for it, and a compute step waits for all copies before
/// it. Where memory is pinned for every copy, copies out wait so whatever the streams. Waits only ever point back in
/// sequence, so a plan whose waits did so too cannot come to wait on itself. What devices exchange, which has no place in
/// near memory, stays as it is: that is not the framework's to copy.
/// Pageable copies are staged through the host by the thread that also launches kernels, so they do not overlap with
/// compute, whatever the streams: per device, each copy, of what devices exchange too, waits for the compute step before it
/// in sequence and the compute step after it waits for the copy. Where it is wrong: a real driver returns from a small
/// pageable copy to the far side before it has ended (it is buffered), so the model is pessimistic below about 64 KiB.
/// `stays`: of the costs that the plan was made with, where there is any (model/cost/held_bytes.hpp). What tasks have booked
/// for it as workspace becomes blocks: of gradients, from the first writer's start to the end of the last task; of inputs
/// those that are there at the start stay until then.
/// Precondition: first readers wait for their copies in, or for a later one on the same queue.
struct Stays {
  std::span<const HeldBytes> held = {};  ///< bytes held, by task
  std::span<const TensorId> inputs = {};
};
/// Returns the plan with the waits of CopyStreams, per device. Unless kOverlap, a copy waits for the compute step
/// before it, and copies in are ordered by the first step that waits for them. kFramework: a copy in stands right
/// before the first step, after all that the copy waits for, that waits for any copy in. Up to that step a host
/// that runs ahead has issued steps when it issues the copy. kSerial: a copy in stands right before the first step
/// that waits for it, and compute steps wait for all earlier copies. If memory is pinned for every copy, copies out
/// wait for the compute step before under kOverlap, too. All waits point back in sequence, so no cycle can arise.
/// Copies between devices stay as they are: they use no GPU memory, and the framework does not make them. `stays`:
/// from the costs of the plan. Memory booked for them as workspace becomes blocks: gradients from the first
/// writer's start to the end of the last task, inputs present at the start up to then. Precondition: first readers
/// wait for their copies in, or for a later one on the same queue.
[[nodiscard]] Plan wait_as_framework(const Plan& plan, const CopyRules& rules,
                                     CopyMode mode = CopyMode::kPinned, const Stays& stays = {});

/// Sets `delays` by step: ns from the end of the compute step before until the host issues a compute step.
/// Meanwhile the host pins memory for the copies out between the two, `each` per copy. 0 for copies.
void list_pinning(const Plan& plan, Duration each, std::vector<std::int64_t>& delays);

}  // namespace ooc
