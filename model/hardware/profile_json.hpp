// Reader and writer of hardware profiles, version 1 (docs/formats.md, 3). Written files read back
// equal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

struct ProfileSources {
  ReadLimits limits = {};
  /// Folders searched for architecture NAME as NAME.json, after architectures/ beside the profile.
  std::vector<std::string> architecture_folders = {};
};

// Return the profile. Throw SpecErrors with all errors of the file, or SpecError if there is one.
[[nodiscard]] HardwareProfile read_profile(const SpecDocument& document,
                                           const ProfileSources& sources = {});
[[nodiscard]] inline auto read_profile_file(const std::string& path,
                                            const ProfileSources& sources = {}) {
  return read_profile(read_spec_file(path, sources.limits), sources);
}
[[nodiscard]] inline auto read_profile_text(std::string_view text, const std::string& file,
                                            const ProfileSources& sources = {}) {
  return read_profile(read_spec_text(text, file, sources.limits), sources);
}

/// Returns the text of a profile file: indented JSON with a final newline.
[[nodiscard]] std::string write_profile(const HardwareProfile& profile);

}  // namespace ooc
