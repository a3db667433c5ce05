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
  kPinned,           ///< from and to pinned host memory
  kPageable,         ///< staged by the host through the driver's buffers; never beside kernels
  kUnifiedFault,     ///< unified memory, pages copied on access; only for schedules that move pages
  kUnifiedPrefetch,  ///< unified memory, pages copied ahead; only for schedules that move pages
};
/// Returns the name in profiles and reports, such as "unified_fault".
[[nodiscard]] std::string_view copy_mode_name(CopyMode mode);
/// Returns the mode called `name`; unset: none.
[[nodiscard]] std::optional<CopyMode> copy_mode_named(std::string_view name);

struct TransferOptions {
  CopyMode mode = CopyMode::kPinned;
  std::optional<BytesPerSecond> link = {};          ///< --link: rate both ways; unset: profile's
  std::optional<BytesPerSecond> link_to_far = {};   ///< rate to host memory; unset: `link`
  std::optional<BytesPerSecond> link_to_near = {};  ///< rate to GPU memory; unset: `link`
  /// --far-throughput: rate of host memory; unset: the profile's.
  std::optional<BytesPerSecond> far_throughput = {};
  /// --latency: latency of the connection, in both directions; unset: the profile's.
  std::optional<Duration> latency = {};
  /// --duplex: share of its rate that each direction keeps while both move bytes; unset: the profile's.
  std::optional<Ratio> duplex = {};
  Ratio link_scale = kOne;  ///< factor of the link's rate in both directions
  Duration pinning = {};    ///< CopyRules::pinned_cost; ignored unless kPinned
  int sharers = 1;          ///< devices that share the connection; each has an equal share
  int host_sharers = 1;     ///< devices that share host memory; each has an equal share
};

/// Rates of the stages of a copy to GPU memory, as in equation (5). The slowest is the paper's Swap_in_Th.
struct SwapInRates {
  std::optional<BytesPerSecond> far;  ///< host memory; unset: `connection` was measured end to end
  BytesPerSecond connection;
  std::optional<BytesPerSecond> near;  ///< GPU memory; unset as `far`
};
/// Returns the rates for large copies. Throws SpecError if the profile lacks the mode of `options`.
[[nodiscard]] SwapInRates swap_in_rates(const HardwareProfile& profile,
                                        const TransferOptions& options);

/// Returns the copy costs of all tensors. Throws SpecError if the profile lacks the mode of `options`, if a copy takes
/// 2^52 ns or more, or if --duplex makes copies in both directions at once slower than one after the other.
[[nodiscard]] TransferCosts estimate_transfers(const std::vector<Bytes>& tensor_bytes,
                                               const HardwareProfile& profile,
                                               const TransferOptions& options);
/// Writes estimate_transfers() into `out` and reuses the memory of `out`, for the inner loop of sweeps.
void estimate_transfers_into(TransferCosts& out, const std::vector<Bytes>& tensor_bytes,
                             const HardwareProfile& profile, const TransferOptions& options);

/// Returns the profile's link between devices; if missing, one of half the rate of pinned copies, slower direction.
[[nodiscard]] PeerLink peers_of(const HardwareProfile& profile,
                                const TransferOptions& options = {});

/// Returns the factor, at least 1, by which kernels that take `computes` alone are longer beside collectives that take
/// `collectives`.
[[nodiscard]] double slowdown_beside(const PeerLink& peers, Duration collectives,
                                     Duration computes);
/// Multiplies the times of all algorithms of the task by `factor`.
void lengthen(CostTable& costs, TaskId task, double factor);

// Copy costs of unified memory (docs/model.md, 2): on page faults by the profile's mode
// "unified_fault", ahead of need by "unified_prefetch".

enum class PageCopies {
  kOnDemand,   ///< TransferCosts::to_near are copies on page faults
  kPrefetched  ///< TransferCosts::to_near are prefetches, `faults` copies on page faults
};

/// Returns the offsets in a block at which fault groups begin, for a kernel that walks through the block. A fault
/// copies its page, and the rest of the largest aligned part of the block (all, 1/2, 1/4, ...) of which more than 51 %
/// is then in GPU memory. Precondition: `block` is a power of two times `page`.
[[nodiscard]] std::vector<Bytes> fault_group_starts(Bytes page, Bytes block);

/// Returns the copy costs of unified memory; ignores `options.mode`. Throws SpecError as estimate_transfers does, and
/// if the page faults of one tensor take more than 2^52 ns.
[[nodiscard]] TransferCosts estimate_unified(const std::vector<Bytes>& tensor_bytes,
                                             const HardwareProfile& profile,
                                             const TransferOptions& options, PageCopies copies);

}  // namespace ooc
