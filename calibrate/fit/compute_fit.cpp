// Bins are half powers of two of the work: fine enough for a curve that is straight over the
// logarithm, coarse enough that one odd kernel is outvoted by its neighbours.
#include "calibrate/fit/compute_fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

constexpr double kLeastPart = 0.25;
constexpr double kLeastEfficiency = 1e-6;

/// Six digits: what a profile shows, so that it reads back as it is.
double rounded_share(double share) { return std::round(share * 1e6) / 1e6; }

}  // namespace

double work_rate(double work, double time_ns, double launch_ns) {
  const double beyond = std::max(time_ns - launch_ns, kLeastPart * time_ns);
  return work / beyond * 1e9;
}

std::vector<WorkPoint> work_points(const std::vector<WorkTimes>& measured, double launch_ns) {
  struct Bin {
    double log_sum = 0;
    std::vector<double> rates;
  };
  std::map<long, Bin> bins;
  for (const WorkTimes& each : measured) {
    if (each.times_ns.empty() || !(each.work >= 1)) continue;
    const double time = summarize_times(each.times_ns).median;
    if (!(time > 0)) continue;
    Bin& bin = bins[std::lround(2 * std::log2(each.work))];
    bin.log_sum += std::log(each.work);
    bin.rates.push_back(work_rate(each.work, time, launch_ns));
  }
  std::vector<WorkPoint> points;
  for (const auto& [key, bin] : bins) {
    const double count = static_cast<double>(bin.rates.size());
    points.push_back({.work = std::round(std::exp(bin.log_sum / count)),
                      .rate = median_of(bin.rates),
                      .kernels = bin.rates.size()});
  }
  return points;
}

double best_rate(const std::vector<WorkPoint>& points) {
  double best = 0;
  for (const WorkPoint& point : points) best = std::max(best, point.rate);
  return best;
}

Efficiency efficiency_curve(const std::vector<WorkPoint>& points, double peak) {
  OOC_CHECK(!points.empty() && peak > 0, "an efficiency is a share of some peak");
  Efficiency efficiency;
  for (const WorkPoint& point : points) {
    const double share = std::clamp(rounded_share(point.rate / peak), kLeastEfficiency, 1.0);
    efficiency.points.emplace_back(point.work, share);
  }
  return efficiency;
}

}  // namespace ooc
