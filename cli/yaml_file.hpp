// A YAML file as the value tree that JSON files are read into, so that errors name file, key and place alike.
#pragma once

#include <string>
#include <string_view>

#include "model/base/spec_tree.hpp"

namespace ooc {

/// Reads the first document of the text; `file` is the name for messages. Plain words are booleans, numbers and null as
/// PyYAML reads them. Aliases are copied; what they copy counts as values. Throws SpecError.
[[nodiscard]] SpecDocument read_yaml_text(std::string_view text, const std::string& file,
                                          const ReadLimits& limits = {});

}  // namespace ooc
