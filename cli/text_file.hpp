// A whole file as text.
#pragma once

#include <string>
#include <string_view>

#include "model/base/spec_tree.hpp"

namespace ooc {

/// Throws SpecError for a file that is missing, unreadable or larger than the limit; `place` is the
/// flag it came from, or empty.
[[nodiscard]] std::string read_text_file(const std::string& path, std::string_view place,
                                         const ReadLimits& limits = {});

}  // namespace ooc
