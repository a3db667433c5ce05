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
/// Reads an architecture inside a profile.
[[nodiscard]] Architecture read_architecture(const SpecView& view);
[[nodiscard]] Architecture read_architecture_file(const std::string& path,
                                                  const ReadLimits& limits = {});

/// Returns the architecture as a value inside a profile.
[[nodiscard]] SpecNode architecture_node(const Architecture& architecture);

/// Returns the path of architecture `name` for the profile in `profile_file`; unset: no file has that name.
[[nodiscard]] std::optional<std::string> find_architecture(const std::string& name,
                                                           const std::string& profile_file,
                                                           const ProfileSources& sources);
/// Returns the names that the profile can use, sorted.
[[nodiscard]] std::vector<std::string> known_architectures(const std::string& profile_file,
                                                           const ProfileSources& sources);

/// Returns the names of data files (not schemas) in these folders, sorted.
[[nodiscard]] std::vector<std::string> data_names_in(const std::vector<std::string>& folders);

}  // namespace ooc
