// Reads a whole file as text.
#pragma once

#include <string>
#include <string_view>

#include "model/base/spec_tree.hpp"

namespace ooc {

/// Returns the text. Throws SpecError for a missing or unreadable file, or one above the limit.
/// `place`: flag that named it, or empty.
[[nodiscard]] std::string read_text_file(const std::string& path, std::string_view place,
                                         const ReadLimits& limits = {});

}  // namespace ooc
