// Where something stands in a row's file. A row is read once and judged later, when the value tree is
// gone; what is wrong with it then is still said with file, JSON pointer, line and column.
#pragma once

#include <cstdint>
#include <string>

#include "model/base/spec_tree.hpp"

namespace ooc {

struct Place {
  std::string file;
  std::string pointer;
  std::int32_t line = 0;
  std::int32_t column = 0;
};

[[nodiscard]] Place place_of(const SpecView& view);

/// A SpecError at that place.
[[noreturn]] void fail_at(const Place& place, std::string found, std::string expected,
                          const std::string& hint = {});

}  // namespace ooc
