// The log-log curve that a profile keeps where no straight line fits: measured medians, made
// non-falling, thinned to the points that interpolation needs.
#pragma once

#include <vector>

#include "calibrate/fit/transfer_fit.hpp"

namespace ooc {

/// Interpolation between the kept points is within this of every median.
inline constexpr double kThinningTolerance = 0.01;

/// Precondition: at least two points, ascending in size, times above 0.
[[nodiscard]] SizeCurve fit_size_curve(const std::vector<LinePoint>& points);

}  // namespace ooc
