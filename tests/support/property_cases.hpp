// Number of random cases of a property test, and the way to run a failing case again. OOC_PROPERTY_CASES=N runs N of
// each, OOC_PROPERTY_PART=N one of N of what each usually runs, OOC_PROPERTY_SEED=S case S alone.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace ooc::test {

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Number of cases where `usual` is all.
inline std::uint64_t case_count(std::uint64_t usual) {
  return number_from("OOC_PROPERTY_CASES", usual / number_from("OOC_PROPERTY_PART", 1));
}

/// Calls check(seed) for seeds from 1 on: case_count of them, or only OOC_PROPERTY_SEED. Returns the number of calls.
template <class Check>
std::uint64_t for_each_seed(std::uint64_t usual, Check check) {
  if (const std::uint64_t seed = number_from("OOC_PROPERTY_SEED", 0); seed != 0) {
    check(seed);
    return 1;
  }
  const std::uint64_t cases = case_count(usual);
  for (std::uint64_t seed = 1; seed <= cases; ++seed) check(seed);
  return cases;
}

/// Message of a failure: the case in a few words, and the command that runs it again.
inline std::string rerun(const char* program, std::uint64_t seed) {
  return fmt::format("to run this case alone: OOC_PROPERTY_SEED={} tests/property/{}", seed,
                     program);
}

}  // namespace ooc::test
