// Families of checkpoints (networks/families/*.json, docs/formats.md, 2.2): how the configs of some
// `model_type` become networks. A file may be based on another, whose entries it has unless it states its
// own.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"

namespace ooc {

struct Family {
  std::deque<SpecDocument> files;  ///< nearest first

  /// The nearest file's own `section`, or that member of it; none where no file has it.
  [[nodiscard]] std::optional<SpecView> find(std::string_view section) const;
  [[nodiscard]] std::optional<SpecView> find(std::string_view section, std::string_view name) const;
};

/// The family of that `model_type`, from the first folder that has one. Throws SpecError at `model_type` where
/// none has, and at a place of the file for one that is malformed.
[[nodiscard]] Family find_family(const SpecView& model_type,
                                 const std::vector<std::string>& folders);

/// Calls `visit` with what stands between braces in `text`, and copies the rest.
template <class Visit>
std::string fill_braces(std::string_view text, Visit visit) {
  std::string filled;
  for (;;) {
    const std::size_t begin = text.find('{');
    const std::size_t end = begin == std::string_view::npos ? begin : text.find('}', begin);
    if (end == std::string_view::npos) return filled += text;
    filled += text.substr(0, begin);
    filled += visit(text.substr(begin + 1, end - begin - 1));
    text.remove_prefix(end + 1);
  }
}

}  // namespace ooc
