// The share of the near rate that streaming kernels reach: the slope of time over bytes (Theil-Sen: the median
// over pairs of a GPU's long rows), so that what measuring adds to each time does not count.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "calibrate/fit/fit_stage.hpp"

namespace ooc {

struct NearShare {
  double share = 0;
  std::set<std::size_t> rows;  ///< that fit and tell about it, by their place
};

/// By architecture, the median over its GPUs; none where no two rows are long and far enough apart.
[[nodiscard]] std::map<std::string, NearShare> near_shares(const FitRows& rows,
                                                           const FitMachines& machines);

/// What is left of streaming kernels by source, as "measuring.<source>".
[[nodiscard]] std::map<std::string, double> measuring_of_streams(const FitRows& rows,
                                                                 const FitParameters& parameters);

}  // namespace ooc
