// Reader of framework files (hwprofiles/software/*.json, docs/formats.md, 3.4).
#pragma once

#include <string>
#include <string_view>

#include "model/base/spec_tree.hpp"
#include "model/software/framework.hpp"

namespace ooc {

/// Throws SpecError with place, found and expected.
[[nodiscard]] Framework read_framework(const SpecDocument& document);
[[nodiscard]] Framework read_framework_file(const std::string& path, const ReadLimits& limits = {});
[[nodiscard]] Framework read_framework_text(std::string_view text, const std::string& file);

}  // namespace ooc
