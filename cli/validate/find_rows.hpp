// Which rows a command line means.
#pragma once

#include <string>
#include <vector>

#include "reports/validation/measured_networks.hpp"
#include "reports/validation/figures.hpp"

namespace ooc {

/// The files of the rows that are named, in that order; of all shipped rows where none is: M1, M2, ...,
/// M11, T1, ...; "networks" names all shipped data sets. SpecError for a name that is none, with the nearest.
[[nodiscard]] std::vector<std::string> find_rows(const std::vector<std::string>& names);

/// SpecError where two files have the same id: nobody could tell them apart.
void check_ids(const std::vector<FigureFile>& files, const std::vector<MeasuredSet>& sets = {});

}  // namespace ooc
