// Errors of rows that were read before.
#include "reports/validation/place.hpp"

#include <fmt/format.h>

#include <utility>

namespace ooc {

Place place_of(const SpecView& view) {
  return {.file = view.file(),
          .pointer = view.pointer(),
          .line = view.node().line,
          .column = view.node().column};
}

void fail_at(const Place& place, std::string found, std::string expected, const std::string& hint) {
  std::string where = fmt::format("line {}, column {}", place.line, place.column);
  if (!hint.empty()) where += ", " + hint;
  throw SpecError({.file = place.file,
                   .place = place.pointer,
                   .found = std::move(found),
                   .expected = std::move(expected),
                   .hint = std::move(where)});
}

}  // namespace ooc
