// What a sweep reads from files, and what its rows and knees call it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/pipeline.hpp"
#include "cli/sweep/grid.hpp"

namespace ooc {

/// Everything that is read from files, in the order of the grid's lists.
struct SweepInputs {
  std::vector<Workload> workloads;
  std::vector<Machine> machines;
  /// What results call them: the names in the files, or, where two of them meet, the texts of the
  /// command line for all, so that no two rows look alike.
  std::vector<std::string> network_names;
  std::vector<std::string> hardware_names;
  int devices = 1;  ///< of every row
};

/// Loads them. Throws SpecError for what is wrong with all rows of a network on a machine, before any is
/// run, and for one file given twice.
[[nodiscard]] SweepInputs load_sweep(const SweepGrid& grid, const CaseOptions& options);

/// What tells one unit from another, as its rows have it.
struct UnitKeys {
  std::string network;
  std::string hardware;
  std::int64_t batch = 1;
  Bytes memory;
  std::string schedule;
};
[[nodiscard]] UnitKeys keys_of(const SweepGrid& grid, const SweepInputs& inputs, std::size_t unit);

}  // namespace ooc
