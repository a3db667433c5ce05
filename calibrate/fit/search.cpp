// The random numbers are made here from the generator's bits: the standard fixes engines, not
// distributions.
#include "calibrate/fit/search.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace ooc {
namespace {

constexpr double kFirstStep = 0.2;
constexpr double kLargestStep = 0.4;
constexpr double kLeastStep = 0.01;
constexpr double kGrow = 1.3;
constexpr double kShrink = 0.985;
constexpr double kLeastShare = 0.25;  // of the variables changed at once
constexpr double kChanged = 1.5;      // variables changed at once, in the mean

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  /// In (0, 1).
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::mt19937_64 engine_;
};

double moved(double value, double logarithm, const SearchVariable& variable) {
  return std::clamp(value * std::exp(logarithm), variable.lowest, variable.highest);
}

}  // namespace

SearchResult search_minimum(const std::vector<SearchVariable>& variables,
                            const SearchEffort& effort,
                            const std::function<double(const std::vector<double>&)>& loss) {
  Random random(effort.seed);
  SearchResult best;
  for (const SearchVariable& variable : variables) {
    best.values.push_back(moved(variable.start, effort.spread * random.normal(), variable));
  }
  best.loss = loss(best.values);
  const double share = std::max(
      kChanged / static_cast<double>(std::max<std::size_t>(variables.size(), 1)), kLeastShare);
  double step = kFirstStep;
  std::vector<double> candidate;
  for (int i = 0; i < effort.evaluations; ++i) {
    candidate = best.values;
    for (std::size_t v = 0; v < variables.size(); ++v) {
      const double change = step * random.normal();
      if (random.uniform() < share) candidate[v] = moved(candidate[v], change, variables[v]);
    }
    const double found = loss(candidate);
    if (found < best.loss) {
      best = {candidate, found};
      step = std::min(step * kGrow, kLargestStep);
    } else {
      step = std::max(step * kShrink, kLeastStep);
    }
  }
  return best;
}

}  // namespace ooc
