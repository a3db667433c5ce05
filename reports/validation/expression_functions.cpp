// Functions of series. All of them answer "not known" (NaN) where an argument they need is not known,
// but `otherwise`, which is there to say what stands in.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "reports/validation/expression.hpp"

namespace ooc {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kAny = 1000;

Series joined(const std::vector<Series>& arguments) {
  Series all;
  for (const Series& each : arguments) all.insert(all.end(), each.begin(), each.end());
  return all;
}

bool all_known(const Series& values) {
  return std::none_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
}

template <class Fold>
Series folded(const std::vector<Series>& arguments, Fold fold) {
  const Series all = joined(arguments);
  return {all_known(all) ? fold(all) : kNone};
}

Series mean(const std::vector<Series>& arguments) {
  return folded(arguments, [](const Series& all) {
    return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
  });
}

Series median(const std::vector<Series>& arguments) {
  return folded(arguments, [](Series all) {
    std::sort(all.begin(), all.end());
    const std::size_t half = all.size() / 2;
    return all.size() % 2 == 1 ? all[half] : (all[half - 1] + all[half]) / 2;
  });
}

Series sum(const std::vector<Series>& arguments) {
  return folded(arguments,
                [](const Series& all) { return std::accumulate(all.begin(), all.end(), 0.0); });
}

Series least(const std::vector<Series>& arguments) {
  return folded(arguments,
                [](const Series& all) { return *std::min_element(all.begin(), all.end()); });
}

Series largest(const std::vector<Series>& arguments) {
  return folded(arguments,
                [](const Series& all) { return *std::max_element(all.begin(), all.end()); });
}

template <class Map>
Series mapped(const std::vector<Series>& arguments, Map map) {
  Series out = arguments[0];
  for (double& value : out) value = map(value);
  return out;
}

Series absolute(const std::vector<Series>& arguments) {
  return mapped(arguments, [](double value) { return std::abs(value); });
}
Series round_down(const std::vector<Series>& arguments) {
  return mapped(arguments, [](double value) { return std::floor(value); });
}
Series round_up(const std::vector<Series>& arguments) {
  return mapped(arguments, [](double value) { return std::ceil(value); });
}

/// The first n points; `last`: the last n.
Series first(const std::vector<Series>& arguments) {
  const Series& all = arguments[0];
  const double wanted = arguments[1][0];
  if (!(wanted >= 1) || wanted > static_cast<double>(all.size())) return {kNone};
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(wanted)};
}
Series last(const std::vector<Series>& arguments) {
  const Series& all = arguments[0];
  const double wanted = arguments[1][0];
  if (!(wanted >= 1) || wanted > static_cast<double>(all.size())) return {kNone};
  return {all.end() - static_cast<std::ptrdiff_t>(wanted), all.end()};
}

/// The exponent of the power law through the points: slope of log y over log x by least squares.
Series exponent(const std::vector<Series>& arguments) {
  const Series& x = arguments[0];
  const Series& y = arguments[1];
  if (x.size() != y.size() || x.size() < 2) return {kNone};
  double sx = 0;
  double sy = 0;
  double sxx = 0;
  double sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = std::log(x[i]);
    const double b = std::log(y[i]);
    sx += a;
    sy += b;
    sxx += a * a;
    sxy += a * b;
  }
  const auto n = static_cast<double>(x.size());
  const double spread = n * sxx - sx * sx;
  return {spread == 0 ? kNone : (n * sxy - sx * sy) / spread};
}

/// The first x at which y lies more than `share` below the largest y before it; where it never does, not known.
Series drop(const std::vector<Series>& arguments) {
  const Series& x = arguments[0];
  const Series& y = arguments[1];
  if (x.size() != y.size() || !all_known(y)) return {kNone};
  double best = y[0];
  for (std::size_t i = 1; i < y.size(); ++i) {
    if (y[i] < best * (1 - arguments[2][0])) return {x[i]};
    best = std::max(best, y[i]);
  }
  return {kNone};
}

/// The first x from which on every y is within `share` of the last y.
Series settled(const std::vector<Series>& arguments) {
  const Series& x = arguments[0];
  const Series& y = arguments[1];
  if (x.size() != y.size() || !all_known(y)) return {kNone};
  std::size_t from = y.size() - 1;
  while (from > 0 && std::abs(y[from - 1] / y.back() - 1) <= arguments[2][0]) --from;
  return {x[from]};
}

/// The largest share that y loses from one point to the next; 0 where it never falls.
Series steepest(const std::vector<Series>& arguments) {
  const Series& y = arguments[0];
  if (y.size() < 2 || !all_known(y)) return {kNone};
  double most = 0;
  for (std::size_t i = 1; i < y.size(); ++i) most = std::max(most, 1 - y[i] / y[i - 1]);
  return {most};
}

/// Point by point; a single stand-in serves all points.
Series otherwise(const std::vector<Series>& arguments) {
  Series out = arguments[0];
  const Series& instead = arguments[1];
  if (instead.size() != 1 && instead.size() != out.size()) return {kNone};
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (std::isnan(out[i])) out[i] = instead[instead.size() == 1 ? 0 : i];
  }
  return out;
}

}  // namespace

const std::vector<SeriesFunction>& series_functions() {
  static const std::vector<SeriesFunction> kFunctions{
      {"mean", 1, kAny, "of all points of all arguments", &mean},
      {"median", 1, kAny, "of all points of all arguments", &median},
      {"sum", 1, kAny, "of all points of all arguments", &sum},
      {"min", 1, kAny, "of all points of all arguments", &least},
      {"max", 1, kAny, "of all points of all arguments", &largest},
      {"abs", 1, 1, "without its sign", &absolute},
      {"floor", 1, 1, "rounded down", &round_down},
      {"ceil", 1, 1, "rounded up", &round_up},
      {"first", 2, 2, "first(y, n): the first n points", &first},
      {"last", 2, 2, "last(y, n): the last n points", &last},
      {"exponent", 2, 2, "exponent(x, y): of the power law through the points", &exponent},
      {"drop", 3, 3, "drop(x, y, share): the first x whose y is that share below the best before",
       &drop},
      {"settled", 3, 3, "settled(x, y, share): the x from which y stays within that share",
       &settled},
      {"steepest", 1, 1, "steepest(y): the largest share that y loses from one point to the next",
       &steepest},
      {"otherwise", 2, 2, "otherwise(y, z): z where y is not known", &otherwise},
  };
  return kFunctions;
}

const SeriesFunction* find_series_function(std::string_view name) {
  for (const SeriesFunction& each : series_functions()) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

}  // namespace ooc
