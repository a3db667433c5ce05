// Lists and ranges of sweep axes: "64,128,256", "32:512:x2", "32:512:+32", or several with commas.
// A range FROM:TO:STEP multiplies or adds, and stops at the last value <= TO.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simulator/predict/options.hpp"

namespace ooc {

/// Values of a sweep's axis as integers (OptionValues), or as indices into a list of names.
using AxisValues = std::vector<std::int64_t>;

/// Largest number of rows of a sweep and of values in a list. Protects against mistakes in ranges.
inline constexpr std::size_t kMaxSweepPoints = 10'000'000;
inline constexpr std::size_t kMaxSweepValues = 1'000'000;

/// kRefused: a value that is listed twice is an error.
enum class Repeats { kRefused, kAllowed };

/// Returns the values in the order written. Throws SpecError at the axis's flag for an invalid or repeated value, an
/// empty or endless range, or too many values. `inf` may be an element, not an end. Precondition: values are not names.
[[nodiscard]] AxisValues axis_values(const Option& axis, const std::string& text,
                                     Repeats repeats = Repeats::kRefused);

}  // namespace ooc
