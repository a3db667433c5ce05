// The two curves of a profile, and the choice of an efficiency. Interpolation is what docs/formats.md says: log-log for
// copy times, since both size and time span six decades and a copy is a power law at either end (constant latency, then
// proportional); linear over log(FLOPs) for efficiencies.
#include "model/hardware/hardware_profile.hpp"

#include <algorithm>
#include <cmath>

#include "model/base/errors.hpp"

namespace ooc {

double Efficiency::at(double flops) const {
  OOC_CHECK(!points.empty(), "an efficiency has at least one point");
  if (points.size() == 1 || !(flops > points.front().first)) return points.front().second;
  if (flops >= points.back().first) return points.back().second;
  const auto above = std::ranges::upper_bound(points, flops, {}, &std::pair<double, double>::first);
  const auto below = above - 1;
  const double part = std::log(flops / below->first) / std::log(above->first / below->first);
  return below->second + part * (above->second - below->second);
}

double SizeCurve::time_ns(Bytes bytes) const {
  OOC_CHECK(points.size() >= 2, "a size curve has at least two points");
  // Outside the measured sizes the first or the last pair of points sets the slope.
  auto above = std::upper_bound(points.begin() + 1, points.end() - 1, bytes,
                                [](Bytes size, const auto& point) { return size < point.first; });
  const auto below = above - 1;
  // A measured size is its measured time, free of the logarithm's rounding.
  if (bytes == below->first) return static_cast<double>(below->second.count());
  if (bytes == above->first) return static_cast<double>(above->second.count());
  const auto size = [](const auto& point) { return static_cast<double>(point.first.count()); };
  const auto time = [](const auto& point) { return static_cast<double>(point.second.count()); };
  const double slope =
      std::log(time(*above) / time(*below)) / std::log(size(*above) / size(*below));
  return time(*below) * std::pow(static_cast<double>(bytes.count()) / size(*below), slope);
}

double SizeCurve::peak_rate() const {
  OOC_CHECK(points.size() >= 2, "a size curve has at least two points");
  const Duration latency = points.front().second;
  OOC_CHECK(points.back().second > latency, "a size curve rises");
  double peak = 0;
  for (const auto& [bytes, time] : points) {
    const Duration moving = time - latency;
    const bool last = bytes == points.back().first;
    if (moving.count() == 0 || (moving < latency && !last)) continue;
    peak = std::max(peak,
                    static_cast<double>(bytes.count()) * 1e9 / static_cast<double>(moving.count()));
  }
  return peak;
}

double peak_rate(const TransferLine& line, const HardwareProfile& profile) {
  const auto* straight = std::get_if<StraightLine>(&line);
  if (straight == nullptr) return std::get<SizeCurve>(line).peak_rate();
  const BytesPerSecond rate = std::min(
      {straight->throughput, profile.near_memory.throughput, profile.far_memory.throughput});
  return static_cast<double>(rate.count());
}

const Efficiency& efficiency_of(const HardwareProfile& profile, const std::string& kind) {
  const auto own = profile.efficiency.find(kind);
  if (own != profile.efficiency.end()) return own->second;
  if (kind == "moe") return efficiency_of(profile, "linear");
  const auto common = profile.efficiency.find("default");
  OOC_CHECK(common != profile.efficiency.end(), "every profile has a default efficiency");
  return common->second;
}

}  // namespace ooc
