// Whole file as text, and text in lower case.
#pragma once

#include <string>
#include <string_view>

#include "model/base/spec_tree.hpp"

namespace ooc {

/// Throws SpecError for a missing or unreadable file and above the limit. `place`: flag that named
/// it, or empty.
[[nodiscard]] std::string read_text_file(const std::string& path, std::string_view place,
                                         const ReadLimits& limits = {});

}  // namespace ooc
