// A kernel that touches n bytes of pages that are far waits for ceil(n / page) groups of faults, each of
// which costs `fault`, and for n bytes at the mode's rate (OOC-Paleo, 4.3; calibrate/fit/fault_fit.hpp
// fits the same sum). Serving faults takes no share of the link, so it stands in the copy's latency. A
// measured size curve holds its faults already.
//
// Where it is wrong: drivers enlarge the groups while a kernel walks through memory in order, up to 2 MiB, so
// that a cost measured on scattered pages is too high for tensors, and one measured in order too low
// for gathers.
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

void add_faults(std::vector<TransferCost>& costs, const std::vector<Bytes>& tensor_bytes,
                const TransferMode& mode, const std::string& file) {
  if (!mode.page || !mode.fault || !std::holds_alternative<StraightLine>(mode.to_near)) return;
  const std::int64_t page = std::max<std::int64_t>(1, mode.page->count());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const std::int64_t groups = (tensor_bytes[i].count() + page - 1) / page;
    const Int128 serving = Int128{groups} * mode.fault->count();
    if (serving + costs[i].alone.count() > kMaxTimeNs / 2) {
      throw SpecError({.file = file,
                       .place = "/connection/modes/unified_fault/fault",
                       .found = std::to_string(groups) + " faults in one tensor, 52 days or more",
                       .expected = "every copy below 2^52 ns",
                       .hint = "a smaller batch"});
    }
    const Duration time(static_cast<std::int64_t>(serving));
    costs[i].latency += time;
    costs[i].alone += time;
  }
}

}  // namespace

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
