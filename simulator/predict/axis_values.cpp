#include "simulator/predict/axis_values.hpp"

#include <algorithm>

namespace ooc {

AxisValues AxisValues::places(std::size_t count) {
  AxisValues values;
  if (count > 0) values.add_steps(0, 1, count);
  return values;
}

void AxisValues::push_back(std::int64_t value) {
  const std::size_t place = size_++;
  if (!parts_.empty()) {
    Part& last = parts_.back();
    // The difference of two values may be out of range; values are positive but for places and small tests.
    const bool is_next = last.count == 1 ? value > last.first && last.first >= 0
                                         : value > last.last() && value - last.last() == last.step;
    if (is_next) {
      if (last.count == 1) last.step = value - last.first;
      ++last.count;
      return;
    }
  }
  parts_.push_back({.first = value, .step = 0, .begin = place, .count = 1});
}

void AxisValues::add_steps(std::int64_t first, std::int64_t step, std::size_t count) {
  parts_.push_back({.first = first, .step = count > 1 ? step : 0, .begin = size_, .count = count});
  size_ += count;
}

const AxisValues::Part& AxisValues::part_of(std::size_t place) const {
  const auto behind =
      std::upper_bound(parts_.begin(), parts_.end(), place,
                       [](std::size_t at, const Part& part) { return at < part.begin; });
  return *(behind - 1);
}

std::int64_t AxisValues::least() const {
  // Parts rise.
  return std::min_element(parts_.begin(), parts_.end(),
                          [](const Part& a, const Part& b) { return a.first < b.first; })
      ->first;
}

std::size_t AxisValues::place_of_most() const {
  const auto part =
      std::max_element(parts_.begin(), parts_.end(),
                       [](const Part& a, const Part& b) { return a.last() < b.last(); });
  return part->begin + part->count - 1;
}

bool AxisValues::rises() const {
  return std::adjacent_find(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
           return a.last() >= b.first;
         }) == parts_.end();
}

}  // namespace ooc
