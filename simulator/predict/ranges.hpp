// Lists and ranges of the sweep's axes: "64,128,256", "32:512:x2", "32:512:+32", or several of
// them between commas. A range starts at FROM, multiplies or adds, and stops at the last value <=
// TO.
#pragma once

#include <cstdint>
#include <string>

#include "simulator/predict/options.hpp"
#include "simulator/predict/axis_values.hpp"

namespace ooc {

/// More rows than that in one sweep, or more values in one of its lists, are taken for a mistake.
inline constexpr std::size_t kMaxSweepPoints = 10'000'000;
inline constexpr std::size_t kMaxSweepValues = 1'000'000;

/// Of a value that comes twice in a list.
enum class Repeats { kRefused, kAllowed };

/// Throws SpecError naming the axis's flag for an empty, descending or endless range, a value that comes twice, or
/// more than kMaxSweepValues values. Values keep the order in which they are written. A rate's `inf` may be an
/// element of the list, not an end of a range.
[[nodiscard]] AxisValues axis_values(const Option& axis, const std::string& text,
                                     Repeats repeats = Repeats::kRefused);

}  // namespace ooc
