// Result of `compare` over several machines or links, as plain data: a comparison of schedules for
// each, represented by the best.
#pragma once

#include <string>
#include <vector>

#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Machine, or machine with another link.
struct MachineRow {
  std::vector<RunReport> results;    ///< one a schedule, best first; never empty
  std::string state = {};            ///< preset of moving states, if several are compared
  std::vector<std::string> remarks;  ///< about the machine, for people
};

struct MachinesReport {
  std::vector<MachineRow> rows;
};

/// Returns the fastest schedule that fits; if none fits, the one that lacks least.
[[nodiscard]] inline const RunReport& best_of(const MachineRow& row) { return row.results.front(); }

}  // namespace ooc
