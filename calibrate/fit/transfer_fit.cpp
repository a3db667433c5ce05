// The line: weighted least squares in closed form, repeated with Huber's weights on the relative
// residuals. A negative latency or slope is no copy: the other one is then fitted alone.
//
// The curve: medians, made non-falling by pooling neighbours (the pool-adjacent-violators algorithm, least squares in
// the logarithm), since the profile's reader refuses curves that fall and only noise makes them. Thinned by keeping the
// ends and, again and again, the point farthest from the line between its kept neighbours (Douglas & Peucker, 1973),
// which leaves straight stretches empty and points at the knee.
#include "calibrate/fit/transfer_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

constexpr int kReweightings = 30;
constexpr double kHuber = 2.0;         // residuals beyond so many deviations fade
constexpr double kLeastScale = 0.005;  // no size is held against the line for half a percent
constexpr double kEqualError = 0.01;

std::vector<SizedTimes> merged_by_size(std::vector<SizedTimes> measured) {
  std::ranges::stable_sort(measured, {}, &SizedTimes::bytes);
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

/// Standard errors of the medians. Repeating stops when a spread looks small enough, so that some sizes look better than
/// they are: no size is taken to scatter less than most.
std::vector<double> errors_of(const std::vector<SizeFit>& sizes) {
  const auto root = [](const Summary& times) {
    return std::sqrt(static_cast<double>(times.count - times.outliers.size()));
  };
  std::vector<double> scatters;
  for (const SizeFit& size : sizes) {
    scatters.push_back(relative_median_error(size.times) * root(size.times));
  }
  const double usual = median_of(std::move(scatters));
  std::vector<double> errors;
  for (const SizeFit& size : sizes) {
    errors.push_back(std::max(relative_median_error(size.times), usual / root(size.times)));
  }
  return errors;
}

StraightLine straight_line(const FittedLine& line) {
  const double rate =
      line.ns_per_byte > 0 ? 1e9 / line.ns_per_byte : static_cast<double>(kMaxRate.count());
  const double most = static_cast<double>(kMaxRate.count());
  return {
      .throughput = BytesPerSecond(std::max<std::int64_t>(1, std::llround(std::min(rate, most)))),
      .latency = Duration(std::llround(line.latency_ns))};
}

struct LogPoint {
  double size = 0;
  double time = 0;
};

std::vector<LogPoint> non_falling(const std::vector<LinePoint>& points) {
  std::vector<std::pair<double, std::size_t>> pools;  // sum, count
  const auto mean = [](const auto& pool) { return pool.first / static_cast<double>(pool.second); };
  for (const LinePoint& point : points) {
    pools.emplace_back(std::log(point.time), 1);
    while (pools.size() > 1 && mean(pools[pools.size() - 2]) > mean(pools.back())) {
      const auto last = pools.back();
      pools.pop_back();
      pools.back() = {pools.back().first + last.first, pools.back().second + last.second};
    }
  }
  std::vector<LogPoint> result;
  for (const auto& pool : pools) {
    for (std::size_t i = 0; i < pool.second; ++i) {
      result.push_back({std::log(points[result.size()].size), mean(pool)});
    }
  }
  return result;
}

/// Marks what must stay strictly between `first` and `last`.
void mark_needed(const std::vector<LogPoint>& points, std::size_t first, std::size_t last,
                 std::vector<bool>& needed) {
  const LogPoint& a = points[first];
  const LogPoint& b = points[last];
  double worst = std::log1p(kThinningTolerance);
  std::size_t farthest = first;
  for (std::size_t i = first + 1; i < last; ++i) {
    const double part = (points[i].size - a.size) / (b.size - a.size);
    const double miss = std::abs(points[i].time - (a.time + part * (b.time - a.time)));
    if (miss <= worst) continue;
    worst = miss;
    farthest = i;
  }
  if (farthest == first) return;
  needed[farthest] = true;
  mark_needed(points, first, farthest, needed);
  mark_needed(points, farthest, last, needed);
}

constexpr std::int64_t kSmallestPage = 4096;
constexpr std::int64_t kLargestPage = std::int64_t{2} << 20;

double pages(double size, Bytes page) {
  return std::ceil(size / static_cast<double>(page.count()));
}

/// Relative misses of latency + pages x fault over time - moving, weighted by the whole time.
FaultFit fit_page(const std::vector<LinePoint>& points, double ns_per_byte, Bytes page) {
  std::vector<LinePoint> counted;
  for (const LinePoint& point : points) {
    const double rest = std::max(0.0, 1 - ns_per_byte * point.size / point.time);
    counted.push_back({.size = pages(point.size, page), .time = point.time, .share = rest});
  }
  const FittedLine line = weighted_line(counted, std::vector<double>(points.size(), 1.0));
  FaultFit fit{.page = page,
               .fault_ns = line.ns_per_byte,
               .latency_ns = line.latency_ns,
               .ns_per_byte = ns_per_byte};
  std::vector<double> misses;
  for (const LinePoint& point : points) {
    const double time = fit.at(Bytes(std::llround(point.size)));
    misses.push_back(std::abs(time / point.time - 1));
  }
  fit.median_residual = median_of(misses);
  return fit;
}

double squared_miss(const FaultFit& fit, const std::vector<LinePoint>& points) {
  double sum = 0;
  for (const LinePoint& point : points) {
    const double miss = fit.at(Bytes(std::llround(point.size))) / point.time - 1;
    sum += miss * miss;
  }
  return sum;
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

FittedLine weighted_line(const std::vector<LinePoint>& points, const std::vector<double>& weights) {
  double ss = 0, sn = 0, nn = 0, s = 0, n = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double one = 1 / points[i].time;  // what 1 ns of latency is, as a share
    const double byte = points[i].size / points[i].time;
    ss += weights[i] * one * one;
    sn += weights[i] * one * byte;
    nn += weights[i] * byte * byte;
    s += weights[i] * one * points[i].share;
    n += weights[i] * byte * points[i].share;
  }
  const FittedLine through_origin{0, nn > 0 ? n / nn : 0};
  const double determinant = ss * nn - sn * sn;
  if (!(determinant > 1e-12 * ss * nn)) return through_origin;  // all of one size
  const FittedLine line{(s * nn - n * sn) / determinant, (n * ss - s * sn) / determinant};
  if (line.latency_ns < 0) return through_origin;
  if (line.ns_per_byte < 0) return {ss > 0 ? s / ss : 0, 0};
  return line;
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
    for (const LinePoint& each : points) {
      const double predicted = line.latency_ns + line.ns_per_byte * each.size;
      misses.push_back(std::abs(predicted / each.time - 1));
    }
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
  const std::vector<double> errors = errors_of(fit.sizes);
  for (std::size_t i = 0; i < points.size(); ++i) points[i].error = errors[i];
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

SizeCurve fit_size_curve(const std::vector<LinePoint>& points) {
  OOC_CHECK(points.size() >= 2, "a size curve has at least two points");
  const std::vector<LogPoint> logs = non_falling(points);
  std::vector<bool> needed(logs.size(), false);
  needed.front() = true;
  needed.back() = true;
  mark_needed(logs, 0, logs.size() - 1, needed);
  SizeCurve curve;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (!needed[i]) continue;
    const std::int64_t ns = std::max<std::int64_t>(1, std::llround(std::exp(logs[i].time)));
    curve.points.emplace_back(Bytes(std::llround(points[i].size)), Duration(ns));
  }
  return curve;
}

double FaultFit::at(Bytes bytes) const {
  const double size = static_cast<double>(bytes.count());
  return latency_ns + pages(size, page) * fault_ns + size * ns_per_byte;
}

FaultFit fit_faults(const std::vector<LinePoint>& points, double ns_per_byte) {
  OOC_CHECK(!points.empty(), "faults are fitted to at least one point");
  const double own = fit_line(points).ns_per_byte;
  const double between = std::min(ns_per_byte, own > 0 ? own : ns_per_byte);
  FaultFit best;
  double least = 0;
  // Largest first and strictly better only: a finer page must earn its place.
  for (std::int64_t page = kLargestPage; page >= kSmallestPage; page /= 2) {
    const FaultFit fit = fit_page(points, between, Bytes(page));
    const double miss = squared_miss(fit, points);
    if (page != kLargestPage && !(miss < 0.999 * least)) continue;
    best = fit;
    least = miss;
  }
  return best;
}

// Copying is cheap beside measuring: everything here works on copies.

namespace {

constexpr double kMedianEfficiency = 1.2533;  // sqrt(pi / 2)
constexpr double kNormalMad = 1.4826;         // 1 / (0.75 quantile of the normal distribution)

/// Median of the distances from `centre`.
double median_deviation(std::vector<double> values, double centre) {
  for (double& value : values) value = std::abs(value - centre);
  return median_of(std::move(values));
}

}  // namespace

double median_of(std::vector<double> values) {
  OOC_CHECK(!values.empty(), "a median is of at least one value");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const double below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

Summary summarize_times(const std::vector<double>& values) {
  const double centre = median_of(values);
  const double spread = median_deviation(values, centre);
  Summary summary;
  summary.count = values.size();
  std::vector<double> inliers;
  for (const double value : values) {
    const double distance = std::abs(value - centre);
    const bool out =
        distance > kOutlierMads * spread && distance > kOutlierShare * std::abs(centre);
    (out ? summary.outliers : inliers).push_back(value);
  }
  std::ranges::sort(summary.outliers);
  // At least half of the values lie within one MAD: there are always inliers.
  summary.median = median_of(inliers);
  summary.mad = median_deviation(inliers, summary.median);
  return summary;
}

double relative_median_error(const Summary& summary) {
  const std::size_t inliers = summary.count - summary.outliers.size();
  if (inliers == 0 || !(summary.median > 0)) return 0;
  return kMedianEfficiency * kNormalMad * summary.mad / std::sqrt(static_cast<double>(inliers)) /
         summary.median;
}

// PCI Express: transfers per second and lane are 2.5, 5, 8, 16, 32 and 64 GT/s for generations 1 to 6;
// 8b/10b coding up to 2, 128b/130b from 3 to 5, and 242 of 256 bytes of a flit in 6 (PCI Express Base
// Specification). Of what is left, packet headers and flow control leave about 0.87 for the data of
// large copies (12.9 of 15.75, 26 of 31.5 and 55.6 of 63 GB/s are published for generations 3 to 5).

namespace {

constexpr std::array<double, 6> kLaneBytesPerSecond{2.5e9 / 10,           5e9 / 10,
                                                    8e9 / 8 * 128 / 130,  16e9 / 8 * 128 / 130,
                                                    32e9 / 8 * 128 / 130, 64e9 / 8 * 242 / 256};
constexpr double kUsualShare = 0.87;
constexpr double kSuspiciousShare = 0.8;  // of the usual rate: below, a warning
constexpr double kSameShare =
    0.05;  // of the larger one: a handful of sizes cannot tell shares nearer than that apart

double gigabytes(BytesPerSecond rate) { return static_cast<double>(rate.count()) / 1e9; }

}  // namespace

std::optional<DuplexShares> duplex_shares(const std::vector<DuplexTimes>& measured) {
  std::vector<double> ratios;
  std::vector<double> near;
  std::vector<double> far;
  for (const DuplexTimes& each : measured) {
    const double alone = 1 / each.near_alone_ns + 1 / each.far_alone_ns;
    const double together = 1 / each.near_together_ns + 1 / each.far_together_ns;
    if (!(alone > 0 && together > 0 && std::isfinite(alone) && std::isfinite(together))) continue;
    ratios.push_back(together / alone);
    near.push_back(each.near_alone_ns / each.near_together_ns);
    far.push_back(each.far_alone_ns / each.far_together_ns);
  }
  if (ratios.empty()) return std::nullopt;
  const DuplexShares shares{std::min(1.0, median_of(std::move(near))),
                            std::min(1.0, median_of(std::move(far)))};
  const double larger = std::max(shares.to_near, shares.to_far);
  if (larger - std::min(shares.to_near, shares.to_far) >= kSameShare * larger) return shares;
  const double both = std::min(1.0, median_of(std::move(ratios)));
  return DuplexShares{both, both};
}

std::optional<LinkExpectation> expected_pcie(int generation, int width) {
  constexpr std::array kWidths{1, 2, 4, 8, 12, 16, 32};
  const bool known_width = std::ranges::find(kWidths, width) != kWidths.end();
  if (generation < 1 || generation > int{kLaneBytesPerSecond.size()} || !known_width) {
    return std::nullopt;
  }
  const double rate = kLaneBytesPerSecond[static_cast<std::size_t>(generation - 1)] * width;
  return LinkExpectation{.name = fmt::format("PCIe {}.0 x{}", generation, width),
                         .theoretical = BytesPerSecond(std::llround(rate)),
                         .usual = BytesPerSecond(std::llround(rate * kUsualShare))};
}

std::string compare_with_expectation(int generation, int width, BytesPerSecond measured) {
  const auto expected = expected_pcie(generation, width);
  if (!expected) {
    return fmt::format("no expectation for PCIe generation {} with {} lanes, measured {:.3g} GB/s",
                       generation, width, gigabytes(measured));
  }
  const bool slow = gigabytes(measured) < kSuspiciousShare * gigabytes(expected->usual);
  const bool fast = measured > expected->theoretical;
  std::string text = fmt::format("x{} Gen{} expects ~{:.2g} GB/s, measured {:.3g}", width,
                                 generation, gigabytes(expected->usual), gigabytes(measured));
  if (slow) text += ": check width, NUMA, IOMMU";
  if (fast) text += ": more than this link can carry; it is not the one that was read";
  return text;
}

}  // namespace ooc
