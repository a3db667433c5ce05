// Unified memory on demand as the simulator sees it: a kernel that touches n bytes of host-resident
// pages takes latency + ceil(n / page) x fault + n / rate. `rate` is what pages move at between
// faults; it cannot be told from the cost of faults by timing alone (both grow with n), so that it is
// given: the rate of a prefetch in the same direction. The page is the one of a few candidates (a
// driver's fault groups are powers of two from 4 KiB to 2 MiB) that fits best.
//
// Where it is wrong: drivers enlarge groups while a kernel walks through memory in order, so that
// random access faults more often than this.
#pragma once

#include <vector>

#include "calibrate/fit/transfer_fit.hpp"

namespace ooc {

struct FaultFit {
  Bytes page;
  double fault_ns = 0;
  double latency_ns = 0;
  double ns_per_byte = 0;  ///< between faults, as given
  double median_residual = 0;
  double worst_residual = 0;
  [[nodiscard]] double at(Bytes bytes) const;
};

/// `ns_per_byte` of the transfer alone; where faulting is faster than that, its own slope is used and
/// faults cost nothing more. Precondition: at least one point, times above 0.
[[nodiscard]] FaultFit fit_faults(const std::vector<LinePoint>& points, double ns_per_byte);

}  // namespace ooc
