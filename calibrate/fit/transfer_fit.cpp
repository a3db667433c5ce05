// The line: weighted least squares in closed form, repeated with Huber's weights on the relative
// residuals. A negative latency or slope is no copy: the other one is then fitted alone.
#include "calibrate/fit/transfer_fit.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/fit/size_curve_fit.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

constexpr int kReweightings = 30;
constexpr double kHuber = 2.0;         // residuals beyond so many deviations fade
constexpr double kLeastScale = 0.005;  // no size is held against the line for half a percent
constexpr double kKneeFactors[] = {0.5, 0.70710678, 1.0, 1.41421356, 2.0};
constexpr double kEqualError = 0.01;
constexpr std::int64_t kPage = 4096;
constexpr double kApart = 1.08;

/// Minimises the sum of w_i ((latency + slope n_i) / t_i - 1)^2.
FittedLine weighted_line(const std::vector<LinePoint>& points, const std::vector<double>& weights) {
  double ss = 0;
  double sn = 0;
  double nn = 0;
  double s = 0;
  double n = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double one = 1 / points[i].time;  // what 1 ns of latency is, as a share
    const double byte = points[i].size / points[i].time;
    ss += weights[i] * one * one;
    sn += weights[i] * one * byte;
    nn += weights[i] * byte * byte;
    s += weights[i] * one;
    n += weights[i] * byte;
  }
  const FittedLine through_origin{0, nn > 0 ? n / nn : 0};
  const double determinant = ss * nn - sn * sn;
  if (!(determinant > 1e-12 * ss * nn)) return through_origin;  // all of one size
  const FittedLine line{(s * nn - n * sn) / determinant, (n * ss - s * sn) / determinant};
  if (line.latency_ns < 0) return through_origin;
  if (line.ns_per_byte < 0) return {ss > 0 ? s / ss : 0, 0};
  return line;
}

double relative_miss(const FittedLine& line, const LinePoint& point) {
  return (line.latency_ns + line.ns_per_byte * point.size) / point.time - 1;
}

std::vector<SizedTimes> merged_by_size(std::vector<SizedTimes> measured) {
  std::stable_sort(measured.begin(), measured.end(),
                   [](const SizedTimes& a, const SizedTimes& b) { return a.bytes < b.bytes; });
  std::vector<SizedTimes> merged;
  for (SizedTimes& each : measured) {
    if (each.times_ns.empty()) continue;
    if (merged.empty() || merged.back().bytes != each.bytes) {
      merged.push_back(std::move(each));
    } else {
      auto& times = merged.back().times_ns;
      times.insert(times.end(), each.times_ns.begin(), each.times_ns.end());
    }
  }
  return merged;
}

double root_of_inliers(const Summary& times) {
  return std::sqrt(static_cast<double>(times.count - times.outliers.size()));
}

/// relative_median_error of one repetition: median over the sizes.
double median_scatter(const std::vector<SizeFit>& sizes) {
  std::vector<double> scatters;
  for (const SizeFit& size : sizes) {
    scatters.push_back(relative_median_error(size.times) * root_of_inliers(size.times));
  }
  return median_of(std::move(scatters));
}

/// Repeating stops when a spread looks small enough, so that some sizes look better than they are: no
/// size is taken to scatter less than most.
double error_of(const Summary& times, double usual_scatter) {
  return std::max(relative_median_error(times), usual_scatter / root_of_inliers(times));
}

StraightLine straight_line(const FittedLine& line) {
  const double rate =
      line.ns_per_byte > 0 ? 1e9 / line.ns_per_byte : static_cast<double>(kMaxRate.count());
  const double most = static_cast<double>(kMaxRate.count());
  return {
      .throughput = BytesPerSecond(std::max<std::int64_t>(1, std::llround(std::min(rate, most)))),
      .latency = Duration(std::llround(line.latency_ns))};
}

}  // namespace

std::size_t TransferFit::outliers() const {
  std::size_t count = 0;
  for (const SizeFit& size : sizes) count += size.times.outliers.size();
  return count;
}

std::size_t TransferFit::samples() const {
  std::size_t count = 0;
  for (const SizeFit& size : sizes) count += size.times.count;
  return count;
}

double TransferFit::median_residual(Bytes from, Bytes to) const {
  std::vector<double> misses;
  for (const SizeFit& size : sizes) {
    if (size.bytes >= from && size.bytes <= to) misses.push_back(std::abs(size.kept_residual));
  }
  return misses.empty() ? 0 : median_of(std::move(misses));
}

double TransferFit::worst_residual() const {
  double worst = 0;
  for (const SizeFit& size : sizes) worst = std::max(worst, std::abs(size.kept_residual));
  return worst;
}

double time_of(const TransferLine& line, Bytes bytes) {
  if (const auto* curve = std::get_if<SizeCurve>(&line)) return curve->time_ns(bytes);
  const StraightLine& straight = std::get<StraightLine>(line);
  return static_cast<double>(straight.latency.count()) +
         static_cast<double>(bytes.count()) * 1e9 /
             static_cast<double>(straight.throughput.count());
}

FittedLine fit_line(const std::vector<LinePoint>& points) {
  OOC_CHECK(!points.empty(), "a line is fitted to at least one point");
  // Sizes count alike as long as they are known to 1 %; less where they are known worse.
  std::vector<double> own;
  for (const LinePoint& point : points) {
    const double share = point.error / kEqualError;
    own.push_back(1 / (1 + share * share));
  }
  std::vector<double> weights = own;
  FittedLine line = weighted_line(points, weights);
  for (int round = 0; round < kReweightings; ++round) {
    std::vector<double> misses;
    for (const LinePoint& point : points) misses.push_back(std::abs(relative_miss(line, point)));
    const double scale = std::max(kLeastScale, 1.4826 * median_of(misses));
    for (std::size_t i = 0; i < points.size(); ++i) {
      weights[i] = own[i] * (misses[i] <= kHuber * scale ? 1.0 : kHuber * scale / misses[i]);
    }
    line = weighted_line(points, weights);
  }
  return line;
}

TransferFit fit_transfer(std::vector<SizedTimes> measured) {
  TransferFit fit;
  std::vector<LinePoint> points;
  for (SizedTimes& size : merged_by_size(std::move(measured))) {
    SizeFit entry{.bytes = size.bytes, .times = summarize_times(size.times_ns)};
    points.push_back(
        {.size = static_cast<double>(size.bytes.count()), .time = entry.times.median, .error = 0});
    fit.sizes.push_back(std::move(entry));
  }
  OOC_CHECK(!fit.sizes.empty(), "a transfer fit has at least one size");
  const double usual_scatter = median_scatter(fit.sizes);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].error = error_of(fit.sizes[i].times, usual_scatter);
  }
  fit.line = fit_line(points);
  bool line_misses = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    SizeFit& size = fit.sizes[i];
    size.line_residual = fit.line.at(size.bytes) / size.times.median - 1;
    const double allowed = std::max(kLineTolerance, kLineErrors * points[i].error);
    line_misses = line_misses || std::abs(size.line_residual) > allowed;
  }
  fit.kept = straight_line(fit.line);
  if (line_misses && points.size() >= 2) {
    SizeCurve curve = fit_size_curve(points);
    // Times that fall with the size, on the whole, make a flat curve: no rate, so profiles refuse it.
    const bool rises = curve.points.front().second < curve.points.back().second;
    if (rises) fit.kept = std::move(curve);
  }
  for (SizeFit& size : fit.sizes) {
    size.kept_residual = time_of(fit.kept, size.bytes) / size.times.median - 1;
  }
  return fit;
}

std::vector<Bytes> sizes_at_knee(const TransferFit& fit, Bytes smallest, Bytes largest) {
  std::vector<Bytes> sizes;
  if (!(fit.line.latency_ns > 0) || !(fit.line.ns_per_byte > 0)) return sizes;
  const double knee = fit.line.latency_ns / fit.line.ns_per_byte;
  const auto is_near = [](Bytes a, Bytes b) {
    const double ratio = static_cast<double>(a.count()) / static_cast<double>(b.count());
    return ratio < kApart && ratio > 1 / kApart;
  };
  for (const double factor : kKneeFactors) {
    const double pages = std::round(knee * factor / static_cast<double>(kPage));
    if (!(pages >= 1) || pages > 1e9) continue;
    const Bytes size(static_cast<std::int64_t>(pages) * kPage);
    if (size < smallest || size > largest) continue;
    const bool known =
        std::any_of(fit.sizes.begin(), fit.sizes.end(),
                    [&](const SizeFit& each) { return is_near(each.bytes, size); }) ||
        std::any_of(sizes.begin(), sizes.end(), [&](Bytes each) { return is_near(each, size); });
    if (!known) sizes.push_back(size);
  }
  return sizes;
}

}  // namespace ooc
