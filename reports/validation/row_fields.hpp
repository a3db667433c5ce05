// Fields of a row; "all" of its file gives the defaults.
#pragma once

#include <optional>
#include <string_view>

#include "model/base/spec_tree.hpp"

namespace ooc {

class RowFields {
 public:
  RowFields(const SpecView& row, const std::optional<SpecView>& all) : row_(row), all_(all) {}
  [[nodiscard]] std::optional<SpecView> find(std::string_view key) const {
    const std::optional<SpecView> common = all_ ? all_->find(key) : std::nullopt;  // asked for, too
    const std::optional<SpecView> own = row_.find(key);
    return own ? own : common;
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
