// Lists and ranges of sweep axes: "64,128,256", "32:512:x2", "32:512:+32", or several with commas.
// A range starts at FROM, multiplies or adds, and stops at the last value <= TO.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "simulator/predict/options.hpp"

namespace ooc {

// Values of a sweep's axis. Parts in equal steps are stored as first value, step and count, so a
// range of a million values is as small as one of two.

class AxisValues {
 public:
  AxisValues() = default;
  AxisValues(std::initializer_list<std::int64_t> values) {
    for (const std::int64_t value : values) push_back(value);
  }
  /// Returns 0 ... count - 1.
  [[nodiscard]] static AxisValues places(std::size_t count);

  void push_back(std::int64_t value);
  /// Appends `count` values: first, first + step, ... Precondition: `step` > 0, and the last value is in range.
  void add_steps(std::int64_t first, std::int64_t step, std::size_t count);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::int64_t operator[](std::size_t place) const {
    const Part& part = parts_.size() == 1 ? parts_.front() : part_of(place);
    return part.first + static_cast<std::int64_t>(place - part.begin) * part.step;
  }
  [[nodiscard]] std::int64_t front() const { return (*this)[0]; }
  [[nodiscard]] std::int64_t back() const { return (*this)[size_ - 1]; }
  /// Smallest and largest value. Precondition: not empty.
  [[nodiscard]] std::int64_t least() const;
  [[nodiscard]] std::int64_t most() const { return (*this)[place_of_most()]; }
  /// Returns the index of the first largest value.
  [[nodiscard]] std::size_t place_of_most() const;
  /// True if each value is larger than the one before.
  [[nodiscard]] bool rises() const;

 private:
  struct Part {
    std::int64_t first = 0;
    std::int64_t step = 0;  ///< 0 for a single value
    std::size_t begin = 0;  ///< index of its first value
    std::size_t count = 1;
    [[nodiscard]] std::int64_t last() const {
      return first + static_cast<std::int64_t>(count - 1) * step;
    }
  };
  [[nodiscard]] const Part& part_of(std::size_t place) const;

  std::vector<Part> parts_;
  std::size_t size_ = 0;
};

/// Limits on rows of a sweep and values of a list; more are taken for a mistake.
inline constexpr std::size_t kMaxSweepPoints = 10'000'000;
inline constexpr std::size_t kMaxSweepValues = 1'000'000;

/// Whether a value may occur twice in a list.
enum class Repeats { kRefused, kAllowed };

/// Returns the values in the order written. Throws SpecError at the axis's flag for an empty,
/// descending or endless range, a repeated value, or more than kMaxSweepValues. A rate's `inf` may
/// be an element, not an end of a range.
[[nodiscard]] AxisValues axis_values(const Option& axis, const std::string& text,
                                     Repeats repeats = Repeats::kRefused);

}  // namespace ooc
