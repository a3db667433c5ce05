// From timed kernels to what a profile says of compute: a peak rate and the share of it that tasks
// reach, as a curve over their work (FLOPs of matrix products and convolutions, bytes of element-wise
// kernels). The cost model adds one launch to each task, so that a launch is taken off the measured
// times; what is left of small kernels is their real inefficiency (few blocks, short loops).
#pragma once

#include <vector>

#include "calibrate/fit/statistics.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

struct WorkTimes {
  double work = 0;  ///< FLOPs or bytes
  std::vector<double> times_ns;
};

/// Kernels of about the same work (within a factor of sqrt(2)) taken together.
struct WorkPoint {
  double work = 0;  ///< geometric mean
  double rate = 0;  ///< work per second beyond the launch: median over the kernels
  std::size_t kernels = 0;
};

/// Rate of one kernel in work per second. The time beyond the launch counts as at least a quarter of
/// the whole: the launch is a median of other kernels, and a difference near 0 would be a rate near
/// infinity.
[[nodiscard]] double work_rate(double work, double time_ns, double launch_ns);

/// Ascending in work.
[[nodiscard]] std::vector<WorkPoint> work_points(const std::vector<WorkTimes>& measured,
                                                 double launch_ns);

/// The best rate among the points; 0 without points.
[[nodiscard]] double best_rate(const std::vector<WorkPoint>& points);

/// Shares of `peak`, at most 1. Precondition: at least one point, peak above 0.
[[nodiscard]] Efficiency efficiency_curve(const std::vector<WorkPoint>& points, double peak);

}  // namespace ooc
