// Which files of rows a command line means.
#pragma once

#include <string>
#include <vector>

namespace ooc {

/// The files that are named, in that order; all shipped ones where none is: M1, M2, ..., M11, T1, ...; "networks" names
/// all shipped data sets of measured networks. SpecError for an unknown name, with the nearest.
[[nodiscard]] std::vector<std::string> find_rows(const std::vector<std::string>& names);

}  // namespace ooc
