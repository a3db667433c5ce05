// Derivative-free minimum: one candidate, multiplied by random factors, kept when better; the step grows
// with success and shrinks with failure ((1+1) evolution strategy). Same seed, same result on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace ooc {

struct SearchVariable {
  double start = 1;
  double lowest = 0;
  double highest = 1;
};

struct SearchResult {
  std::vector<double> values;
  double loss = 0;
};

struct SearchEffort {
  std::uint64_t seed = 0;
  int evaluations = 1000;
  double spread = 0;  ///< of the start, as a standard deviation of logarithms
};

/// Precondition: every start, raised to at least its lowest value, is above 0.
[[nodiscard]] SearchResult search_minimum(
    const std::vector<SearchVariable>& variables, const SearchEffort& effort,
    const std::function<double(const std::vector<double>&)>& loss);

}  // namespace ooc
