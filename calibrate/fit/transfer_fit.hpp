// Fit of repeated copies of several sizes in one mode and direction: a straight line (latency +
// bytes / rate) if it describes every size within 3 %, else the measured curve.
//
// Least squares of relative deviations from medians, so that 4 KiB and 1 GiB count alike (if their medians are known to
// 1 %). Sizes far off the line lose weight (Huber). Where a line is wrong: small copies inside a command, staging
// buffers, copies that get slower from a certain size on. The curve covers these.
#pragma once

#include <vector>

#include "calibrate/fit/statistics.hpp"
#include "model/base/units.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

struct SizedTimes {
  Bytes bytes;
  std::vector<double> times_ns;
};

/// Straight line: time(n) = latency_ns + n * ns_per_byte.
struct FittedLine {
  double latency_ns = 0;
  double ns_per_byte = 0;
  [[nodiscard]] double at(Bytes bytes) const {
    return latency_ns + ns_per_byte * static_cast<double>(bytes.count());
  }
};

/// Fit at one size. Residuals are (fit - median) / median; positive: the fit is too slow.
struct SizeFit {
  Bytes bytes;
  Summary times;
  double line_residual = 0;  ///< residual of TransferFit::line
  double kept_residual = 0;  ///< residual of TransferFit::kept
};

/// If a size has a larger |line_residual| that is more than noise (kLineErrors), a rising curve replaces the line.
inline constexpr double kLineTolerance = 0.03;
/// Number of standard errors of the median up to which a larger residual still counts as noise.
inline constexpr double kLineErrors = 4;

struct TransferFit {
  FittedLine line;             ///< the line, even if the curve is kept
  TransferLine kept;           ///< line or curve for the profile
  std::vector<SizeFit> sizes;  ///< ascending
  [[nodiscard]] bool is_curve() const { return std::holds_alternative<SizeCurve>(kept); }
  [[nodiscard]] std::size_t outliers() const;
  [[nodiscard]] std::size_t samples() const;
  /// Returns the median |kept_residual| of sizes in [from, to]; 0: no such size.
  [[nodiscard]] double median_residual(Bytes from, Bytes to) const;
  [[nodiscard]] double worst_residual() const;  ///< largest |kept_residual|
};

/// Returns the fit. Sizes may be unordered and repeat. Precondition: at least one time; times > 0.
[[nodiscard]] TransferFit fit_transfer(std::vector<SizedTimes> measured);

struct LinePoint {
  double size = 0;   ///< bytes, or another unit
  double time = 0;   ///< ns
  double error = 0;  ///< standard error of the time / time
  double share = 1;  ///< part of the time that the line has to explain; 1: all
};
/// Returns the line with the least sum of weight ((latency + slope size) / time - share)^2; latency and slope >= 0.
[[nodiscard]] FittedLine weighted_line(const std::vector<LinePoint>& points,
                                       const std::vector<double>& weights);
/// Returns the line of least relative deviations; latency and slope >= 0. Points of one size give a
/// line through the origin. Precondition: at least one point; times > 0.
[[nodiscard]] FittedLine fit_line(const std::vector<LinePoint>& points);

/// Tolerance of curves: interpolation between kept points is within 1 % of the points left out.
inline constexpr double kThinningTolerance = 0.01;
/// Returns a non-falling curve through few of the points. Precondition: at least two points, ascending; times > 0.
[[nodiscard]] SizeCurve fit_size_curve(const std::vector<LinePoint>& points);

/// Returns the time in ns that a copy of `bytes` takes by `line`, which may be a curve.
[[nodiscard]] double time_of(const TransferLine& line, Bytes bytes);

/// Fit of unified memory on page faults. A kernel that touches n bytes of host-resident pages takes
/// latency + ceil(n / page) x fault + n / rate. Timing cannot separate rate from fault cost, for
/// both grow with n. So the rate is given: that of a prefetch in the same direction. The page is
/// the candidate that fits best; fault groups of drivers are powers of two from 4 KiB to 2 MiB.
///
/// Where it is wrong: drivers enlarge groups while a kernel walks through memory in order, so
/// random access faults more often.
struct FaultFit {
  Bytes page;
  double fault_ns = 0;  ///< cost of one fault
  double latency_ns = 0;
  double ns_per_byte = 0;      ///< 1 / rate: as given to fit_faults(), or less
  double median_residual = 0;  ///< median of |fit / time - 1|
  [[nodiscard]] double at(Bytes bytes) const;
};

/// Returns the fit. `ns_per_byte`: of copies without faults. If faulting is faster, its own slope
/// is used and a fault costs 0. Precondition: at least one point; times > 0.
[[nodiscard]] FaultFit fit_faults(const std::vector<LinePoint>& points, double ns_per_byte);

}  // namespace ooc
