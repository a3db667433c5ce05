// Benchmark: a const struct with one function, one file each; CMakeLists.txt generates the table. A
// benchmark measures CPU time and reports rows. A row may have a goal: a ratio of times measured in
// the same run, or a size, so that a slow machine proves nothing. No test: only computed results
// are asserted.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ooc::bench {

struct Goal {
  enum class Kind { kAtMost, kAtLeast } kind = Kind::kAtMost;
  double bound = 0;
};

struct Row {
  std::string what;  ///< "simulate, 10,000 steps"
  double value = 0;
  std::string unit;  ///< "ns/step", "x", ...
  std::optional<Goal> goal;
};

class Report {
 public:
  void add(std::string what, double value, std::string unit, std::optional<Goal> goal = {});
  /// A row that could not be measured here.
  void skip(std::string what, std::string why);
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<Row> rows_;
  std::vector<std::string> notes_;
};

struct Benchmark {
  std::string_view name;
  std::string_view question;  ///< one line
  void (*run)(Report& report);
};

[[nodiscard]] constexpr Goal at_most(double bound) { return {Goal::Kind::kAtMost, bound}; }
[[nodiscard]] constexpr Goal at_least(double bound) { return {Goal::Kind::kAtLeast, bound}; }
[[nodiscard]] bool met(const Row& row);

/// CPU time of one call in ns: the median over repetitions, each of as many calls as fill some
/// milliseconds. Several works are measured in turns, so that a disturbance meets them all.
[[nodiscard]] std::vector<double> cpu_ns(std::span<const std::function<void()>> works);
[[nodiscard]] double cpu_ns(const std::function<void()>& work);

/// Exponent e of y ~ x^e: the slope of the least-squares line through the logarithms.
[[nodiscard]] double exponent(std::span<const double> x, std::span<const double> y);

/// Keeps a result from being optimised away.
void consume(const void* result);

}  // namespace ooc::bench

namespace ooc {

using bench::Benchmark;  // here the generated table looks for it
/// All benchmarks, in the order of CMakeLists.txt.
[[nodiscard]] std::span<const Benchmark* const> benchmarks();

}  // namespace ooc
