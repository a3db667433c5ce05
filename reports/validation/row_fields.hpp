// Rows of files: what "all" says for them, and their places. A row is judged when the value tree is gone; an error of its
// job still names file, JSON pointer, line and column.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/base/spec_tree.hpp"

namespace ooc {

struct Place {
  std::string file = {};
  std::string pointer = {};
  std::int32_t line = 0;
  std::int32_t column = 0;
};

[[nodiscard]] inline Place place_of(const SpecView& view) {
  return {.file = view.file(),
          .pointer = view.pointer(),
          .line = view.node().line,
          .column = view.node().column};
}

/// Throws a SpecError at that place.
[[noreturn]] inline void fail_at(const Place& place, std::string found, std::string expected,
                                 const std::string& hint = {}) {
  std::string where = fmt::format("line {}, column {}", place.line, place.column);
  if (!hint.empty()) where += ", " + hint;
  throw SpecError({.file = place.file,
                   .place = place.pointer,
                   .found = std::move(found),
                   .expected = std::move(expected),
                   .hint = std::move(where)});
}

/// A row's field, else that of "all".
class RowFields {
 public:
  RowFields(const SpecView& row, const std::optional<SpecView>& all) : row_(row), all_(all) {}
  [[nodiscard]] std::optional<SpecView> find(std::string_view key) const {
    const std::optional<SpecView> own = row_.find(key);
    return own || !all_ ? own : all_->find(key);
  }
  [[nodiscard]] SpecView get(std::string_view key) const {
    const std::optional<SpecView> found = find(key);
    return found ? *found : row_.get(key);
  }

 private:
  const SpecView& row_;
  const std::optional<SpecView>& all_;
};

}  // namespace ooc
