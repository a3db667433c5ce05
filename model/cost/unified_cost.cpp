// A kernel that touches n bytes of pages that are far waits for the groups of faults that bring them, each of
// which costs `fault`, and for n bytes at the mode's rate (OOC-Paleo, 4.3). Groups are of one page, or, where the
// profile says what they grow to, as NVIDIA's driver makes them for a kernel that walks through memory in order:
// in blocks of 2 MiB of 64 KiB pages they bring 64, 64, 128, 256, 512 and 1024 KiB, six a block, 341 KiB in the
// mean. Serving faults takes no share of the link, so it stands in the copy's latency. A measured size curve
// holds its faults already.
//
// Source: the tree of pages and its threshold of 51 % are those of the driver's uvm_perf_prefetch.c
// (NVIDIA/open-gpu-kernel-modules). Profilers show it where one thread after the other faults: 4 MiB come in 24 copies of 170.67 KiB in the
// mean, the largest 1020 KiB, for 12 faults (each fault's own 4 KiB are a copy beside the rest of its group).
//
// Where it is wrong: a kernel's threads fault at many places at once, and up to 256 faults are one batch: several
// pages of a block, and pages of several blocks, may come for the price of one group; for gathers groups hardly grow.
#include "model/cost/unified_cost.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

TransferCosts estimate_mode(CopyMode mode, const std::vector<Bytes>& tensor_bytes,
                            const HardwareProfile& profile, TransferOptions options) {
  options.mode = mode;
  return estimate_transfers(tensor_bytes, profile, options);
}

/// Of the driver; above 32 pages a block it makes groups grow later than by doubling.
constexpr std::int64_t kThresholdPercent = 51;

/// Counts the groups that bring bytes walked through in order.
class FaultGroups {
 public:
  FaultGroups(Bytes page, Bytes block) : block_(block), starts_(fault_group_starts(page, block)) {}

  [[nodiscard]] std::int64_t of(Bytes bytes) const {
    const std::int64_t whole = bytes.count() / block_.count();
    const Bytes rest(bytes.count() % block_.count());
    const auto begun = std::lower_bound(starts_.begin(), starts_.end(), rest) - starts_.begin();
    return whole * static_cast<std::int64_t>(starts_.size()) + begun;
  }

 private:
  Bytes block_;
  std::vector<Bytes> starts_;
};

void add_faults(std::vector<TransferCost>& costs, const std::vector<Bytes>& tensor_bytes,
                const TransferMode& mode, const std::string& file) {
  if (!mode.page || !mode.fault || !std::holds_alternative<StraightLine>(mode.to_near)) return;
  const Bytes page = std::max(Bytes(1), *mode.page);
  const FaultGroups groups(page, std::max(page, mode.grows_to.value_or(page)));
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const std::int64_t count = groups.of(tensor_bytes[i]);
    const Int128 serving = Int128{count} * mode.fault->count();
    if (serving + costs[i].alone.count() > kMaxTimeNs / 2) {
      throw SpecError({.file = file,
                       .place = "/connection/modes/unified_fault/fault",
                       .found = std::to_string(count) + " faults in one tensor, 52 days or more",
                       .expected = "every copy below 2^52 ns",
                       .hint = "a smaller batch"});
    }
    const Duration time(static_cast<std::int64_t>(serving));
    costs[i].latency += time;
    costs[i].alone += time;
  }
}

}  // namespace

std::vector<Bytes> fault_group_starts(Bytes page, Bytes block) {
  const std::int64_t pages = block.count() / page.count();
  std::vector<Bytes> starts;
  std::int64_t near = 0;  // in order: the pages before this one
  while (near < pages) {
    starts.emplace_back(near * page.count());
    std::int64_t end = near + 1;
    for (std::int64_t size = 2; size <= pages; size *= 2) {
      const std::int64_t begin = near / size * size;
      if (100 * (near + 1 - begin) > kThresholdPercent * size) end = begin + size;
    }
    near = end;
  }
  return starts;
}

TransferCosts estimate_unified(const std::vector<Bytes>& tensor_bytes,
                               const HardwareProfile& profile, const TransferOptions& options,
                               PageCopies copies) {
  TransferCosts costs = estimate_mode(CopyMode::kUnifiedFault, tensor_bytes, profile, options);
  add_faults(costs.to_near, tensor_bytes, profile.connection.modes.at("unified_fault"),
             profile.file);
  if (copies == PageCopies::kOnDemand) return costs;
  TransferCosts ahead = estimate_mode(CopyMode::kUnifiedPrefetch, tensor_bytes, profile, options);
  costs.faults = std::exchange(costs.to_near, std::move(ahead.to_near));
  costs.to_near_peak = std::max(costs.to_near_peak, ahead.to_near_peak);
  return costs;
}

}  // namespace ooc
