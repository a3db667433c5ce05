// Copy times: equation (5) of the OOC-Paleo paper, or a measured curve of the mode (docs/model.md, 2).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

/// Kinds of copies, each of which is a mode of the profile's connection.
enum class CopyMode {
  kPinned,
  kPageable,         ///< staged by the host through the driver's buffers; never beside kernels
  kUnifiedFault,     ///< unified memory, pages copied on access; only for schedules that move pages
  kUnifiedPrefetch,  ///< unified memory, pages copied ahead; only for schedules that move pages
};
/// Returns the name in profiles and reports, such as "unified_fault".
[[nodiscard]] std::string_view copy_mode_name(CopyMode mode);
[[nodiscard]] std::optional<CopyMode> copy_mode_named(std::string_view name);

struct TransferOptions {
  CopyMode mode = CopyMode::kPinned;
  std::optional<BytesPerSecond> link = {};            ///< --link: both directions; unset: profile's
  std::optional<BytesPerSecond> link_to_far = {};     ///< overrides `link` in this direction
  std::optional<BytesPerSecond> link_to_near = {};    ///< overrides `link` in this direction
  std::optional<BytesPerSecond> far_throughput = {};  ///< --far-throughput
  std::optional<Duration> latency = {};  ///< --latency: of the connection, in both directions
  std::optional<Ratio> duplex = {};      ///< --duplex: of both directions; unset: the profile's
  Ratio link_scale = kOne;               ///< factor of the link's rate, for runs on other links
  Duration pinning = {};                 ///< CopyRules::pinned_cost; only for pinned copies
  int sharers = 1;       ///< devices that share the connection; each has an equal share
  int host_sharers = 1;  ///< devices that share host memory; each has an equal share
};

/// Rates of equation (5) without latencies. The slowest is the paper's Swap_in_Th.
struct SwapInRates {
  std::optional<BytesPerSecond> far;  ///< unset, with `near`: measured end to end
  BytesPerSecond connection;
  std::optional<BytesPerSecond> near;
};
/// Returns rates of large copies to GPU memory. Throws SpecError if the profile lacks the mode.
[[nodiscard]] SwapInRates swap_in_rates(const HardwareProfile& profile,
                                        const TransferOptions& options);

/// Returns copy costs by tensor: latency, rate, time. Throws SpecError if the profile lacks the mode, if a copy takes
/// 2^52 ns or more, or if --duplex makes copies in both directions at once slower than one after the other.
[[nodiscard]] TransferCosts estimate_transfers(const std::vector<Bytes>& tensor_bytes,
                                               const HardwareProfile& profile,
                                               const TransferOptions& options);
/// Writes the costs into `out` and reuses its memory, for the inner loop of sweeps.
void estimate_transfers_into(TransferCosts& out, const std::vector<Bytes>& tensor_bytes,
                             const HardwareProfile& profile, const TransferOptions& options);

/// Returns the profile's link to other devices; if missing, half the rate of the pinned mode's slower direction.
[[nodiscard]] PeerLink peers_of(const HardwareProfile& profile,
                                const TransferOptions& options = {});

/// Returns the factor, at least 1, by which kernels that take `computes` slow down beside `collectives` of collectives.
[[nodiscard]] double slowdown_beside(const PeerLink& peers, Duration collectives,
                                     Duration computes);
/// Makes the task `factor` times as long, with each of its algorithms.
void lengthen(CostTable& costs, TaskId task, double factor);

// Copy costs of unified memory (docs/model.md, 2): on page faults by the profile's mode
// "unified_fault", ahead of need by "unified_prefetch".

enum class PageCopies {
  kOnDemand,   ///< `to_near` are copies on page faults
  kPrefetched  ///< `to_near` are prefetches, `faults` copies on page faults
};

/// Returns the offsets in a block at which fault groups begin, for a kernel that walks through the block. A fault
/// copies its page, and the largest part (all, 1/2, 1/4, ...) of the block of which more than 51 % is in GPU memory
/// after that. Precondition: `block` is a power of two times `page`.
[[nodiscard]] std::vector<Bytes> fault_group_starts(Bytes page, Bytes block);

/// Returns the copy costs of unified memory; ignores `options.mode`. Throws SpecError as estimate_transfers does.
[[nodiscard]] TransferCosts estimate_unified(const std::vector<Bytes>& tensor_bytes,
                                             const HardwareProfile& profile,
                                             const TransferOptions& options, PageCopies copies);

}  // namespace ooc
