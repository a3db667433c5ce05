// The formulas of validation rows: "1 - vdnn.mean_near_bytes / base.in_core_peak_bytes". What a paper
// states is seldom a number that a run yields, but nearly always a quotient, a difference or a mean
// of such numbers; a formula says which, in the words in which one would check it by hand.
//
//   sum      = product { ("+" | "-") product }
//   product  = unary { ("*" | "/") unary }
//   unary    = ["-"] primary
//   primary  = number [unit] | "inf" | name "." metric | parameter | function "(" sum { "," sum } ")" | "(" sum ")"
//
// A value is a list with one entry for each point of a check (batch 256, 357, ...), or a single
// number, which stands for all of them. Units of literals: B, kB ... TiB, ns ... s, %; everything is
// counted in bytes, nanoseconds and plain ratios, as the metrics are.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/validation/place.hpp"

namespace ooc {

/// One number, or one for each point. NaN: not known, as the time of a job that does not fit.
using Series = std::vector<double>;

struct Expression {
  enum class Kind { kNumber, kMetric, kParameter, kNegate, kBinary, kCall };
  struct Node {
    Kind kind = Kind::kNumber;
    double number = 0;
    char operation = 0;                 ///< kBinary: + - * /
    std::string name;                   ///< kMetric: the run; kParameter; kCall: the function
    std::string metric;                 ///< kMetric
    std::vector<std::size_t> operands;  ///< indices into `nodes`
    std::size_t offset = 0;             ///< in `text`, for messages
  };
  std::string text;
  Place place;
  std::vector<Node> nodes;  ///< operands before what uses them: the last one is the whole
};

/// Throws SpecError at `place`, naming the character, for what is no formula.
[[nodiscard]] Expression parse_expression(std::string text, const Place& place);
/// A formula that is only a number.
[[nodiscard]] Expression constant_expression(double number, const Place& place);

/// Whether no run and no parameter occurs in it.
[[nodiscard]] bool is_constant(const Expression& expression);
/// The names of the runs that occur in it, each once, in order.
[[nodiscard]] std::vector<std::string> runs_in(const Expression& expression);

/// What the names in a formula mean.
struct Meanings {
  std::function<Series(const std::string& run, const std::string& metric, const Expression& where)>
      metric;
  std::function<Series(const std::string& parameter, const Expression& where)> parameter;
};

[[nodiscard]] Series evaluate(const Expression& expression, const Meanings& meanings);

/// Functions of series, by name: mean, median, exponent, ...
struct SeriesFunction {
  std::string_view name;
  std::size_t least;  ///< arguments
  std::size_t most;
  std::string_view what;  ///< one line
  Series (*apply)(const std::vector<Series>& arguments);
};
[[nodiscard]] const std::vector<SeriesFunction>& series_functions();
[[nodiscard]] const SeriesFunction* find_series_function(std::string_view name);

/// How many base units (bytes, ns, bytes/s, 1) one `unit` is; 1 for words that are no unit ("images/s").
[[nodiscard]] double unit_factor(std::string_view unit);

}  // namespace ooc
