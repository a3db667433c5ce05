// Copy costs of unified memory (docs/model.md, 2): on page faults by the profile's mode
// "unified_fault", ahead of need by "unified_prefetch".
#pragma once

#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/cost/transfer_cost.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

enum class PageCopies {
  kOnDemand,   ///< `to_near` are copies on page faults
  kPrefetched  ///< `to_near` are prefetches, `faults` copies on page faults
};

/// Returns the offsets in a block at which fault groups begin, for a kernel that walks through the
/// block. A fault copies its page, and the largest subtree (half, quarter, ...) of the block of
/// which more than 51 % are near by then. Precondition: `block` is a power of two times `page`.
[[nodiscard]] std::vector<Bytes> fault_group_starts(Bytes page, Bytes block);

/// Ignores `options.mode`. Throws SpecError if the profile lacks a mode.
[[nodiscard]] TransferCosts estimate_unified(const std::vector<Bytes>& tensor_bytes,
                                             const HardwareProfile& profile,
                                             const TransferOptions& options, PageCopies copies);

}  // namespace ooc
