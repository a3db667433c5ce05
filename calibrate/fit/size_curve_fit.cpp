// Non-falling by pooling neighbours (the pool-adjacent-violators algorithm, least squares in the
// logarithm), since the profile's reader refuses curves that fall and only noise makes them. Thinned
// by keeping the ends and, again and again, the point farthest from the line between its kept
// neighbours (Douglas & Peucker, 1973), which leaves straight stretches empty and points at the knee.
#include "calibrate/fit/size_curve_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

struct LogPoint {
  double size = 0;
  double time = 0;
};

std::vector<LogPoint> non_falling(const std::vector<LinePoint>& points) {
  struct Pool {
    double sum = 0;
    std::size_t count = 0;
    [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  for (const LinePoint& point : points) {
    pools.push_back({std::log(point.time), 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().count += last.count;
    }
  }
  std::vector<LogPoint> result;
  for (const Pool& pool : pools) {
    for (std::size_t i = 0; i < pool.count; ++i) {
      result.push_back({std::log(points[result.size()].size), pool.mean()});
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

}  // namespace

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

}  // namespace ooc
