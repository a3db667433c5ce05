// For each candidate page a two-parameter fit of relative misses (latency and cost of a fault), done
// by fit_line on the number of pages; what moving the bytes takes is in both sides of it.
#include "calibrate/fit/fault_fit.hpp"

#include <algorithm>
#include <cmath>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

constexpr std::int64_t kSmallestPage = 4096;
constexpr std::int64_t kLargestPage = std::int64_t{2} << 20;

double pages(double size, Bytes page) {
  return std::ceil(size / static_cast<double>(page.count()));
}

/// Minimises the relative misses of latency + pages x fault over time - moving, weighted by the whole
/// time. Both are at least 0.
FaultFit fit_page(const std::vector<LinePoint>& points, double ns_per_byte, Bytes page) {
  double ss = 0, sp = 0, pp = 0, s = 0, p = 0;
  for (const LinePoint& point : points) {
    const double count = pages(point.size, page) / point.time;
    const double one = 1 / point.time;
    const double rest = std::max(0.0, 1 - ns_per_byte * point.size / point.time);
    ss += one * one;
    sp += one * count;
    pp += count * count;
    s += one * rest;
    p += count * rest;
  }
  FaultFit fit{.page = page, .ns_per_byte = ns_per_byte};
  const double determinant = ss * pp - sp * sp;
  if (determinant > 1e-12 * ss * pp) {
    fit.latency_ns = (s * pp - p * sp) / determinant;
    fit.fault_ns = (p * ss - s * sp) / determinant;
  }
  if (!(determinant > 1e-12 * ss * pp) || fit.latency_ns < 0) {
    fit.latency_ns = 0;
    fit.fault_ns = p / pp;
  } else if (fit.fault_ns < 0) {
    fit.fault_ns = 0;
    fit.latency_ns = s / ss;
  }
  std::vector<double> misses;
  for (const LinePoint& point : points) {
    const double time = fit.at(Bytes(std::llround(point.size)));
    misses.push_back(std::abs(time / point.time - 1));
  }
  fit.worst_residual = *std::max_element(misses.begin(), misses.end());
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

}  // namespace ooc
