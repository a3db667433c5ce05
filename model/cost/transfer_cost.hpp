// Copy times: OOC-Paleo eq. (5), or the mode's measured curve (docs/model.md, 2).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

/// How tensors are copied; each is a mode of the profile's connection.
enum class CopyMode {
  kPinned,
  kPageable,  ///< by way of the driver's buffers: such copies and computation exclude each other
  kUnifiedFault,  ///< pages, when they are touched; of schedules that move pages alone, as the next one
  kUnifiedPrefetch,  ///< pages, ahead of need
};
/// "unified_fault", as profiles and reports call it.
[[nodiscard]] std::string_view copy_mode_name(CopyMode mode);
[[nodiscard]] std::optional<CopyMode> copy_mode_named(std::string_view name);

struct TransferOptions {
  CopyMode mode = CopyMode::kPinned;
  std::optional<BytesPerSecond> link = {};          ///< --link: both directions of the mode in use
  std::optional<BytesPerSecond> link_to_far = {};   ///< of one direction, before `link`
  std::optional<BytesPerSecond> link_to_near = {};  ///< the same
  std::optional<BytesPerSecond> far_throughput = {};  ///< --far-throughput
  std::optional<Duration> latency = {};  ///< --latency: the connection's, both directions
  std::optional<Ratio> duplex = {};      ///< --duplex: of both directions
  Ratio link_scale = kOne;               ///< what-if: link x 2
  Duration pinning = {};                 ///< CopyRules::pinned_cost; of pinned copies alone
  /// At most a fair share of the link and of far memory: that of one of so many devices.
  int sharers = 1;
};

/// OOC-Paleo eq. (5), latencies apart: the slowest of these is Swap_in_Th.
struct SwapInRates {
  std::optional<BytesPerSecond> far;  ///< unset, as `near`: the connection was measured end to end
  BytesPerSecond connection;
  std::optional<BytesPerSecond> near;
};
/// Throws as estimate_transfers().
[[nodiscard]] SwapInRates swap_in_rates(const HardwareProfile& profile,
                                        const TransferOptions& options);

/// `tensor_bytes` by tensor. Throws SpecError when the profile lacks the mode, and for a duplex below taking turns.
[[nodiscard]] TransferCosts estimate_transfers(const std::vector<Bytes>& tensor_bytes,
                                               const HardwareProfile& profile,
                                               const TransferOptions& options);
/// The same into existing vectors: no allocation in a sweep's inner loop.
void estimate_transfers_into(TransferCosts& out, const std::vector<Bytes>& tensor_bytes,
                             const HardwareProfile& profile, const TransferOptions& options);

}  // namespace ooc
