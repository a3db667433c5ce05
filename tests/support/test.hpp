// What every test includes: doctest, fmt and the standard headers, which builds with OOC_PRECOMPILE compile once.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/errors.hpp"

namespace ooc {

[[nodiscard]] inline bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Returns what() of the SpecError that the call throws; empty: it throws none.
template <class Call>
[[nodiscard]] std::string message_of(const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}
/// Returns the parts of the SpecError that the call throws; `found`: "no error" if it throws none.
template <class Call>
[[nodiscard]] SpecError::Parts error_parts(const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const SpecError& error) {
    return error.parts();
  }
  return {.found = "no error", .expected = {}};
}

namespace test {
using ooc::error_parts;
using ooc::has;
using ooc::message_of;
}  // namespace test

}  // namespace ooc
