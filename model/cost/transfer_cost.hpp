// Copy times: OOC-Paleo eq. (5), or the mode's measured curve (docs/model.md, 2).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

struct TransferOptions {
  std::string mode = "pinned";
  std::optional<BytesPerSecond> link = {};  ///< --link: both directions of the mode in use
  std::optional<BytesPerSecond> far_throughput = {};  ///< --far-throughput
  std::optional<Duration> latency = {};  ///< --latency: the connection's, both directions
  Ratio link_scale = kOne;               ///< what-if: link x 2
  /// At most a fair share of the link and of far memory: that of one of so many devices.
  int sharers = 1;
};

/// `tensor_bytes` by tensor. Throws SpecError when the profile lacks the mode.
[[nodiscard]] TransferCosts estimate_transfers(const std::vector<Bytes>& tensor_bytes,
                                               const HardwareProfile& profile,
                                               const TransferOptions& options);
/// The same into existing vectors: no allocation in a sweep's inner loop.
void estimate_transfers_into(TransferCosts& out, const std::vector<Bytes>& tensor_bytes,
                             const HardwareProfile& profile, const TransferOptions& options);

}  // namespace ooc
