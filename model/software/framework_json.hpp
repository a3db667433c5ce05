// Reader of framework files (hwprofiles/software/*.json, docs/formats.md, 3.4).
#pragma once

#include <string>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/software/framework.hpp"

namespace ooc {

struct FrameworkSources {
  ReadLimits limits = {};
  /// Folders of base frameworks ("like"), searched after the folder of the file that says "like".
  std::vector<std::string> folders = {};
};

/// Returns the framework. Throws SpecError if the file, or its base by "like", is missing or wrong.
[[nodiscard]] Framework read_framework(const SpecDocument& document,
                                       const FrameworkSources& sources = {});

/// Replaces the fields of `software` that `view` states. Throws SpecError, also for unknown keys.
void read_software(const SpecView& view, Software& software);

}  // namespace ooc
