// Reader and writer of architecture files (hwprofiles/architectures/*.json, docs/formats.md, 3.1):
// fitted kernel numbers with their provenance. Written files read back equal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/hardware/hardware_profile.hpp"
#include "model/hardware/profile_json.hpp"

namespace ooc {

[[nodiscard]] Architecture read_architecture(const SpecDocument& document);
/// Reads an architecture that is written out in a profile. Throws SpecError as for a file.
[[nodiscard]] Architecture read_architecture(const SpecView& view);

/// Returns the architecture as it is written out in a profile.
[[nodiscard]] SpecNode architecture_node(const Architecture& architecture);

/// Returns the path of architecture `name` (ProfileSources) for a profile in `profile_file`; unset: no such file.
[[nodiscard]] std::optional<std::string> find_architecture(const std::string& name,
                                                           const std::string& profile_file,
                                                           const ProfileSources& sources);
/// Returns the names of architectures that a profile in `profile_file` can use, sorted.
[[nodiscard]] std::vector<std::string> known_architectures(const std::string& profile_file,
                                                           const ProfileSources& sources);

/// Returns the path of NAME.json in the first of these folders that has it; unset: none.
[[nodiscard]] std::optional<std::string> data_file_in(const std::vector<std::string>& folders,
                                                      const std::string& name);
/// Returns the names, without ".json", of the JSON files in these folders that are no schemas, sorted.
[[nodiscard]] std::vector<std::string> data_names_in(const std::vector<std::string>& folders);

}  // namespace ooc
