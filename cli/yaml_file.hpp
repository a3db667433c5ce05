// Reads a YAML file into the value tree of JSON files, so that errors name file, key and place in the same form.
#pragma once

#include <string>
#include <string_view>

#include "model/base/spec_tree.hpp"

namespace ooc {

/// Reads the first document of the text; `file`: name for messages. Plain words are booleans, numbers and null by
/// PyYAML's rules. Aliases are copied, and `limits` count the copies. Throws SpecError for malformed text.
[[nodiscard]] SpecDocument read_yaml_text(std::string_view text, const std::string& file,
                                          const ReadLimits& limits = {});

}  // namespace ooc
