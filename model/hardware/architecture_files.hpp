// Look-up of the architecture file that a profile names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/hardware/profile_json.hpp"

namespace ooc {

/// Returns the file of architecture `name` for the profile in `profile_file`; unset: none has that name.
[[nodiscard]] std::optional<std::string> find_architecture(const std::string& name,
                                                           const std::string& profile_file,
                                                           const ProfileSources& sources);
/// Returns the names that such a profile can use, sorted.
[[nodiscard]] std::vector<std::string> known_architectures(const std::string& profile_file,
                                                           const ProfileSources& sources);

/// Returns the names of data files (not schemas) in these folders, sorted.
[[nodiscard]] std::vector<std::string> data_names_in(const std::vector<std::string>& folders);

}  // namespace ooc
