// Where the architecture that a profile names lies.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/hardware/profile_json.hpp"

namespace ooc {

/// The file of the architecture of that name, for a profile in `profile_file`; none: there is no such name.
[[nodiscard]] std::optional<std::string> find_architecture(const std::string& name,
                                                           const std::string& profile_file,
                                                           const ProfileSources& sources);
/// Every name that such a profile can use, sorted.
[[nodiscard]] std::vector<std::string> known_architectures(const std::string& profile_file,
                                                           const ProfileSources& sources);

/// Names of the data files in these folders (schemas are none), sorted.
[[nodiscard]] std::vector<std::string> data_names_in(const std::vector<std::string>& folders);

}  // namespace ooc
