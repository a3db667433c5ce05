// Files of validation rows that a command line names.
#pragma once

#include <string>
#include <vector>

namespace ooc {

/// Returns the named files in that order; without names, all shipped ones. "networks" names all
/// shipped sets of measured networks. Throws SpecError for an unknown name, with the nearest.
[[nodiscard]] std::vector<std::string> find_rows(const std::vector<std::string>& names);

}  // namespace ooc
