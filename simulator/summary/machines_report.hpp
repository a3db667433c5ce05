// Result of `compare` over several machines or links, as plain data: a comparison of schedules for
// each, represented by the best.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Machine, or machine with another link.
struct MachineRow {
  std::vector<RunReport> results;    ///< one a schedule, best first; never empty
  std::optional<double> price;       ///< in the user's unit, equal for all; unset: none given
  std::string state = {};            ///< preset of moving states, if several are compared
  std::vector<std::string> remarks;  ///< about the machine, for people
};

struct MachinesReport {
  std::vector<MachineRow> rows;
};

/// Returns the fastest schedule that fits; if none fits, the one that lacks least.
[[nodiscard]] const RunReport& best_of(const MachineRow& row);
/// Unset: no price, or no schedule fits.
[[nodiscard]] std::optional<double> samples_per_price(const MachineRow& row);

/// Best rows by index; unset if nothing fits. Ties: the first.
struct BestMachines {
  std::optional<std::size_t> fastest;
  std::optional<std::size_t> for_the_price;
};
[[nodiscard]] BestMachines best_machines(const MachinesReport& report);

/// Returns the rows' indices: most samples a second for the price first (without prices, most
/// samples a second), then those that do not fit by what they lack. Ties keep their order.
[[nodiscard]] std::vector<std::size_t> best_first(const MachinesReport& report);

}  // namespace ooc
