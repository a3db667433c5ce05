// Families of checkpoints (networks/families/*.json, docs/formats.md, 2.2): rules that turn the
// config of a `model_type` into a network. A file may extend another file and override its entries.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"

namespace ooc {

struct Family {
  std::deque<SpecDocument> files;  ///< the family's own file first, then the files that it extends

  /// Returns `section`, or its member `name`, from the first file that has it. Unset: no file has it.
  [[nodiscard]] std::optional<SpecView> find(std::string_view section) const;
  [[nodiscard]] std::optional<SpecView> find(std::string_view section, std::string_view name) const;
};

/// Returns the family of `model_type` from the first folder that has one. Throws SpecError at
/// `model_type` if none has, and at a place of the file if the file is malformed.
[[nodiscard]] Family find_family(const SpecView& model_type,
                                 const std::vector<std::string>& folders);

/// Returns `text` with each {...} replaced by what `visit` returns for the text between the braces.
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
