// Reader of framework files (hwprofiles/software/*.json, docs/formats.md, 3.4).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/software/framework.hpp"

namespace ooc {

/// Limits of reading, and folders for a base framework ("like"). The folder of the file that names
/// it comes first.
struct FrameworkSources {
  ReadLimits limits = {};
  std::vector<std::string> folders = {};
};

/// Throws SpecError with place, found and expected.
[[nodiscard]] Framework read_framework_file(const std::string& path,
                                            const FrameworkSources& sources = {});
[[nodiscard]] Framework read_framework_text(std::string_view text, const std::string& file,
                                            const FrameworkSources& sources = {});

/// Replaces the fields of `software` that `view` states.
void read_software(const SpecView& view, Software& software);

}  // namespace ooc
