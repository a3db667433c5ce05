// Copies of a framework wait for more than a schedule asks of them (docs/model.md, 2; docs/notebook/0017). This turns any
// plan into the one that such software runs: the one place that knows the rules.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/base/copy_rules.hpp"
#include "simulator/plan/plan.hpp"

namespace ooc {

/// True where the rules change plans.
[[nodiscard]] constexpr bool change_plans(const CopyRules& rules) {
  return rules.streams != CopyStreams::kOverlap || rules.pinned_cost > Duration(0) ||
         rules.far_powers_of_two;
}

/// The same plan with the waits of CopyStreams, per device. A copy waits for the compute step before it. Copies in come in
/// the order of the first steps that wait for them. kFramework: each right before the first step, behind all that the
/// copy itself waits for, that waits for any copy in: up to there a host that runs ahead has issued steps when it issues
/// the copy. kSerial: each right before the first step that waits for it, and a compute step waits for all copies before
/// it. Where memory is pinned for every copy, copies out wait so whatever the streams. Waits only ever point back in
/// sequence, so a plan whose waits did so too cannot come to wait on itself. What devices exchange, which has no place in
/// near memory, stays as it is: that is not the framework's to copy.
/// `stays`: of the costs that the plan was made with, where there is any (model/cost/held_bytes.hpp). What tasks have booked
/// for it as workspace becomes blocks: of gradients, from the first writer's start to the end of the last task; of inputs
/// those that are there at the start stay until then.
/// Precondition: first readers wait for their copies in, or for a later one on the same queue.
struct Stays {
  std::span<const HeldBytes> held = {};  ///< by task
  std::span<const TensorId> inputs = {};
};
[[nodiscard]] Plan wait_as_framework(const Plan& plan, const CopyRules& rules,
                                     const Stays& stays = {});

/// By step: how much later than the end of the compute step before it the host issues a compute step, because it pins
/// memory, in `each`, for the copies out between the two. 0 of copies.
void list_pinning(const Plan& plan, Duration each, std::vector<std::int64_t>& delays);

/// The same plan in which, per device, a copy waits for the compute step before it in sequence order and the compute
/// step after it waits for the copy: pageable copies are staged through the host by the thread that also
/// launches kernels, so they do not overlap with compute. Where it is wrong: a real driver returns from a small pageable
/// copy to the far side before it has ended (it is buffered), so the model is pessimistic below about 64 KiB.
[[nodiscard]] Plan serialize_copies(const Plan& plan);

}  // namespace ooc
