// What `compare` says of several machines, or links, as plain data: for each the comparison of its
// schedules, of which the best one stands for it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "simulator/summary/run_report.hpp"

namespace ooc {

/// A machine, or a machine with another link.
struct MachineRow {
  std::vector<RunReport> results;    ///< one of each schedule, best first; never empty
  std::optional<double> price;       ///< in whatever unit all of them have
  std::string state = {};            ///< preset of state that moves, where several are compared
  std::vector<std::string> remarks;  ///< about the machine, for people
};

struct MachinesReport {
  std::vector<MachineRow> rows;
};

/// The quickest schedule that fits; where none does, the one that lacks least.
[[nodiscard]] const RunReport& best_of(const MachineRow& row);
/// None without a price, or where nothing fits.
[[nodiscard]] std::optional<double> samples_per_price(const MachineRow& row);

/// What is best of all; none where nothing fits. Of equals the first.
struct BestMachines {
  std::optional<std::size_t> fastest;
  std::optional<std::size_t> for_the_price;
};
[[nodiscard]] BestMachines best_machines(const MachinesReport& report);

/// Indices of the rows: most samples a second for the price first, without prices most samples a second, then
/// what does not fit by what it lacks. Equals keep their order.
[[nodiscard]] std::vector<std::size_t> best_first(const MachinesReport& report);

}  // namespace ooc
