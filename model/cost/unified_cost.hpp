// What unified memory's copies cost (docs/model.md, 2): by page fault, from the profile's mode
// "unified_fault", and ahead of need, from "unified_prefetch".
#pragma once

#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/cost/transfer_cost.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

enum class PageCopies {
  kOnDemand,   ///< `to_near` is by fault
  kPrefetched  ///< `to_near` is ahead of need, `faults` by fault
};

/// Where in a block the groups of faults begin that serve a kernel which walks through it in order. A fault brings
/// its page, and with it the largest subtree of the block's pages (halves, quarters, ...) more than 51 % of which
/// are near then. Precondition: `block` is a power of two times `page`.
[[nodiscard]] std::vector<Bytes> fault_group_starts(Bytes page, Bytes block);

/// `options` but the mode. Throws SpecError naming the mode that the profile lacks.
[[nodiscard]] TransferCosts estimate_unified(const std::vector<Bytes>& tensor_bytes,
                                             const HardwareProfile& profile,
                                             const TransferOptions& options, PageCopies copies);

}  // namespace ooc
