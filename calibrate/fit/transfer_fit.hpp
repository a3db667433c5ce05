// From repeated copies of several sizes to what a profile keeps of one mode and direction: a straight
// line (latency + bytes / rate) where it describes every size within 3 %, else the measured curve.
//
// The line is fitted to the medians by least squares of *relative* misses, so that 4 KiB and 1 GiB
// count alike (as far as their medians are known to 1 %), with weights that fade for sizes far off the line (Huber). Where it is wrong: driver
// thresholds (a small copy travels inside the command), staging buffers, and links that are faster or
// slower from a certain size on. That is what the curve is for.
#pragma once

#include <optional>
#include <vector>

#include "calibrate/fit/statistics.hpp"
#include "model/base/units.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

struct SizedTimes {
  Bytes bytes;
  std::vector<double> times_ns;
};

/// time(n) = latency_ns + n * ns_per_byte
struct FittedLine {
  double latency_ns = 0;
  double ns_per_byte = 0;
  [[nodiscard]] double at(Bytes bytes) const {
    return latency_ns + ns_per_byte * static_cast<double>(bytes.count());
  }
};

/// One size: what was measured, and how far line and kept description are off, as shares of the
/// median (positive: too slow).
struct SizeFit {
  Bytes bytes;
  Summary times;
  double line_residual = 0;
  double kept_residual = 0;
};

/// The line must not miss a size by more than this ...
inline constexpr double kLineTolerance = 0.03;
/// ... and by more than so many standard errors of that median: beyond chance. A curve would
/// otherwise copy the noise.
inline constexpr double kLineErrors = 4;

struct TransferFit {
  FittedLine line;             ///< always fitted, even where the curve is kept
  TransferLine kept;           ///< for the profile
  std::vector<SizeFit> sizes;  ///< ascending
  [[nodiscard]] bool is_curve() const { return std::holds_alternative<SizeCurve>(kept); }
  [[nodiscard]] std::size_t outliers() const;
  [[nodiscard]] std::size_t samples() const;
  /// Of the kept description: median and largest of |residual| over sizes in [from, to].
  [[nodiscard]] double median_residual(Bytes from, Bytes to) const;
  [[nodiscard]] double worst_residual() const;
};

/// Sizes may come in any order and repeat. Precondition: at least one size, every time above 0.
[[nodiscard]] TransferFit fit_transfer(std::vector<SizedTimes> measured);

struct LinePoint {
  double size = 0;
  double time = 0;
  double error = 0;  ///< standard error of the time as a share of it
  double share = 1;  ///< of the time, that the line is to describe
};
/// Minimises the sum of w_i ((latency + slope n_i) / t_i - share_i)^2; both are at least 0.
[[nodiscard]] FittedLine weighted_line(const std::vector<LinePoint>& points,
                                       const std::vector<double>& weights);
/// The line of least relative misses; latency and slope are at least 0. Precondition: at least one
/// point, times above 0. A single point gives a line through the origin.
[[nodiscard]] FittedLine fit_line(const std::vector<LinePoint>& points);

/// Interpolation between the points that a curve keeps is within this of every median.
inline constexpr double kThinningTolerance = 0.01;
/// Precondition: at least two points, ascending in size, times above 0.
[[nodiscard]] SizeCurve fit_size_curve(const std::vector<LinePoint>& points);

/// Time in ns that `kept` says for `bytes` on its own (no other limits).
[[nodiscard]] double time_of(const TransferLine& line, Bytes bytes);

/// Unified memory on demand as the simulator sees it: a kernel that touches n bytes of host-resident
/// pages takes latency + ceil(n / page) x fault + n / rate. `rate` is what pages move at between
/// faults; it cannot be told from the cost of faults by timing alone (both grow with n), so that it is
/// given: the rate of a prefetch in the same direction. The page is the one of a few candidates (a
/// driver's fault groups are powers of two from 4 KiB to 2 MiB) that fits best.
///
/// Where it is wrong: drivers enlarge groups while a kernel walks through memory in order, so that
/// random access faults more often than this.
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
