// Integer arithmetic throughout, so that a list is the same on every machine: factors are decimal fractions with up to six
// digits, and a multiplied value keeps 30 binary digits behind the point between steps (10:40:x1.5 is 10, 15, 23 (22.5), 34
// (33.75)); points that round to the same number are one.
#include "simulator/predict/ranges.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/option_text.hpp"
#include "model/base/quantity_io.hpp"
#include "model/base/units.hpp"

namespace ooc {
namespace {

constexpr std::int64_t kFactorOne = 1'000'000;
constexpr std::int64_t kMaxFactor = 1'000 * kFactorOne;
constexpr int kFractionBits = 30;
/// Largest value of a range: with the fraction and the largest factor it stays inside 128 bit.
constexpr std::int64_t kMaxValue = std::int64_t{1} << 60;

/// "1.5" -> 1500000; none unless a plain number above 1, up to 1000, of at most six decimals.
std::optional<std::int64_t> parse_factor(std::string_view text) {
  const std::optional<DecimalPrefix> number = read_decimal(text);
  if (!number || number->length != text.size()) return std::nullopt;
  if (text.find_first_of("eE") != std::string_view::npos) return std::nullopt;
  const std::optional<Scaled> factor = scaled(number->value, kFactorOne, 1);
  const bool is_factor = factor && factor->exact && factor->value > kFactorOne;
  return is_factor && factor->value <= kMaxFactor ? std::optional(factor->value) : std::nullopt;
}

class RangeReader {
 public:
  explicit RangeReader(const Option& axis) : axis_(axis) {}

  AxisValues read(const std::string& text, Repeats repeats) {
    const bool all = !axis_.all.empty() && text == "all";
    for (const std::string& part :
         split_list(all ? std::string(axis_.all) : text, axis_.flag, axis_.separator)) {
      read_part(part);
    }
    if (repeats == Repeats::kRefused) check_each_once(text);
    return std::move(values_);
  }

 private:
  void check_each_once(const std::string& text) const {
    const auto twice = repeated_in(values_);
    if (!twice) return;
    bad_value(
        axis_.flag,
        fmt::format("{}, in which {} comes twice", in_quotes(text), axis_.values.show(*twice)),
        "each value once");
  }

  void read_part(const std::string& part) {
    const std::size_t first = part.find(':');
    if (first == std::string::npos || !axis_.steps)
      return add(part, axis_.values.parse(part, axis_.flag));
    const std::size_t second = part.find(':', first + 1);
    if (second == std::string::npos || part.find(':', second + 1) != std::string::npos) {
      bad_value(axis_.flag, in_quotes(part), "FROM:TO:xFACTOR or FROM:TO:+STEP");
    }
    const std::int64_t from = axis_.values.parse(part.substr(0, first), axis_.flag);
    const std::int64_t to =
        axis_.values.parse(part.substr(first + 1, second - first - 1), axis_.flag);
    const std::string step = part.substr(second + 1);
    if (from > to) bad_value(axis_.flag, in_quotes(part), "FROM <= TO", "the range is empty");
    if (to > kMaxValue) bad_value(axis_.flag, in_quotes(part), "a range that ends");
    if (step.starts_with('x')) return multiply(part, from, to, step.substr(1));
    if (step.starts_with('+')) return add_up(part, from, to, step.substr(1));
    bad_value(axis_.flag, in_quotes(part), "FROM:TO:xFACTOR or FROM:TO:+STEP",
              "the step begins with x or +");
  }

  void multiply(const std::string& part, std::int64_t from, std::int64_t to,
                const std::string& step) {
    const auto factor = parse_factor(step);
    if (!factor) {
      bad_value(axis_.flag, in_quotes(part),
                "a factor above 1 and up to 1000 with at most six decimals, such as x2 or x1.5");
    }
    if (from < 1) bad_value(axis_.flag, in_quotes(part), "FROM > 0", "0 times anything is 0");
    Int128 exact = Int128{from} << kFractionBits;
    std::int64_t last = 0;  // points that round to the same number count once
    for (std::int64_t value = from; value <= to;) {
      if (value != last) add(part, value);
      last = value;
      exact = exact * *factor / kFactorOne;
      value =
          static_cast<std::int64_t>((exact + (Int128{1} << (kFractionBits - 1))) >> kFractionBits);
    }
  }

  void add_up(const std::string& part, std::int64_t from, std::int64_t to,
              const std::string& step) {
    const std::int64_t by =
        (axis_.values.parse_step != nullptr ? axis_.values.parse_step : axis_.values.parse)(
            step, axis_.flag);
    if (by < 1) bad_value(axis_.flag, in_quotes(part), "a step greater than 0");
    if (by > kMaxValue) return add(part, from);
    const auto count = static_cast<std::size_t>((to - from) / by) + 1;
    if (count > kMaxSweepValues - values_.size()) too_many(part);
    for (std::size_t i = 0; i < count; ++i) {
      values_.push_back(from + static_cast<std::int64_t>(i) * by);
    }
  }

  [[noreturn]] void too_many(const std::string& part) const {
    bad_value(axis_.flag, in_quotes(part), fmt::format("at most {} values", kMaxSweepValues));
  }

  void add(const std::string& part, std::int64_t value) {
    if (values_.size() == kMaxSweepValues) too_many(part);
    values_.push_back(value);
  }

  const Option& axis_;
  AxisValues values_;
};

}  // namespace

AxisValues axis_values(const Option& axis, const std::string& text, Repeats repeats) {
  return RangeReader(axis).read(text, repeats);
}

}  // namespace ooc
