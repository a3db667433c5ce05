// Fit of repeated copies of several sizes in one mode and direction: a straight line (latency +
// bytes / rate) if it describes every size within 3 %, else the measured curve.
//
// Least squares of relative deviations from medians, so that 4 KiB and 1 GiB count alike (if their medians are known to
// 1 %). Sizes far off the line lose weight (Huber). Where a line is wrong: small copies inside a command, staging
// buffers, copies that get slower from a certain size on. The curve covers these.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/base/units.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

// Robust statistics of repeated timings. Errors are one-sided: an interrupt, a clock change or
// another process makes some timings several times slower, none much faster. So the centre is the
// median and the spread the median absolute deviation (MAD), both without outliers.

/// Returns the median; the mean of the two middle values if the count is even. Precondition:
/// `values` is not empty.
[[nodiscard]] double median_of(std::vector<double> values);

/// Statistics of the repetitions of one measurement, in ns or another unit.
struct Summary {
  std::size_t count = 0;         ///< number of values, outliers included
  double median = 0;             ///< median without outliers
  double mad = 0;                ///< MAD without outliers
  std::vector<double> outliers;  ///< outliers, ascending
};

/// Outliers lie more than 5 MAD and more than 5 % from the median of all values. MAD alone would
/// flag timer steps among equal values; 5 % alone would flag ordinary noise.
inline constexpr double kOutlierMads = 5;
inline constexpr double kOutlierShare = 0.05;

/// Returns the statistics. Precondition: `values` is not empty.
[[nodiscard]] Summary summarize_times(const std::vector<double>& values);

/// Returns the standard error of the median as a share of the median: 1.2533 * 1.4826 * MAD /
/// sqrt(n) / median; 0 for a median of 0. Holds for normal noise (standard deviation 1.4826 MAD).
[[nodiscard]] double relative_median_error(const Summary& summary);

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

// Further facts about a link: the share of its rate that each direction keeps while both run,
// mutual slowdown of copies and kernels, and the expected rate of a PCIe link.

/// Times of copies of one size: to GPU memory (near) and to host memory (far), alone and together.
struct DuplexTimes {
  double near_alone_ns = 0;
  double far_alone_ns = 0;
  double near_together_ns = 0;
  double far_together_ns = 0;
};

/// Share of its rate that each direction keeps while the other runs.
struct DuplexShares {
  double to_near = 1;
  double to_far = 1;
  [[nodiscard]] bool alike() const { return to_near == to_far; }
};

/// Returns rate together / rate alone by direction, median over sizes, at most 1. Shares within 5 %
/// of each other both become the ratio of the summed rates. Unset: no size has usable times.
[[nodiscard]] std::optional<DuplexShares> duplex_shares(const std::vector<DuplexTimes>& measured);

struct LinkExpectation {
  std::string name;            ///< such as "PCIe 5.0 x16"
  BytesPerSecond theoretical;  ///< rate of one direction
  BytesPerSecond usual;        ///< rate of large pinned copies: 0.87 x theoretical
};

/// Returns the expected rates; unset: no such generation or width of PCIe.
[[nodiscard]] std::optional<LinkExpectation> expected_pcie(int generation, int width);

/// Returns "x16 Gen5 expects ~55 GB/s, measured 14.0: check width, NUMA, IOMMU"; the advice only if
/// the rate is low. Other texts if the rate is impossibly high or expected_pcie() lacks the link.
[[nodiscard]] std::string compare_with_expectation(int generation, int width,
                                                   BytesPerSecond measured);

}  // namespace ooc
