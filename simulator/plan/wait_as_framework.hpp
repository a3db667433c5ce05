// Adds the waits of a framework's copies, which schedules do not ask for (docs/model.md, 2;
// docs/notebook/0017).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/base/copy_rules.hpp"
#include "model/cost/transfer_cost.hpp"
#include "simulator/plan/plan.hpp"

namespace ooc {

/// True if wait_as_framework() may change plans under these rules or this copy mode.
[[nodiscard]] constexpr bool change_plans(const CopyRules& rules, CopyMode mode) {
  return rules.streams != CopyStreams::kOverlap || rules.pinned_cost > Duration(0) ||
         rules.far_powers_of_two || rules.outs_in_flight > 0 || mode == CopyMode::kPageable;
}

/// Memory that stays allocated to the end of an iteration (fields of CostTable). Empty: none.
struct Stays {
  std::span<const HeldBytes> held = {};   ///< CostTable::held: gradients and inputs, by task
  std::span<const TensorId> inputs = {};  ///< CostTable::held_inputs: network inputs
};
/// Returns the plan with the waits of `rules` and `mode`. All waits point back in sequence, so no cycle can
/// arise. Precondition: a tensor's first reader waits for its copy in, or for a later one on the same queue.
/// * All but kOverlap: a copy waits for the compute step before it; copies in are ordered by their first waiting step.
/// * kFramework: a copy in stands right before the first step, after all that the copy waits for, that waits for any
///   copy in. A host that runs ahead has issued the steps up to there when it issues the copy.
/// * kSerialIn: a copy in stands right before the first step that waits for it. kSerial: besides, compute steps wait
///   for all earlier copies.
/// * With memory pinned for every copy, copies out wait for the compute step before under kOverlap, too.
/// * outs_in_flight = n > 0: a compute step waits for all copies out before it but the latest n.
/// * Pageable copies wait for the compute step before, and the compute step after waits for the copies: the host thread
///   that launches kernels stages them. Pessimistic below about 64 KiB: drivers return early from small copies out.
/// * Copies between devices keep their waits: the framework's rules are not about those copies.
/// `stays`: from the costs of the plan. These bytes leave the workspaces and become blocks up to the end of the last
/// task: gradients from the start of their first writer, inputs from the start of the iteration.
[[nodiscard]] Plan wait_as_framework(const Plan& plan, const CopyRules& rules,
                                     CopyMode mode = CopyMode::kPinned, const Stays& stays = {});

/// Sets `delays` by step: for a compute step, ns from the end of the compute step before until the host issues it.
/// Meanwhile the host pins memory for the copies out between the two, `each` per copy. For other steps: 0.
void list_pinning(const Plan& plan, Duration each, std::vector<std::int64_t>& delays);

}  // namespace ooc
