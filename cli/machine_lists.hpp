// Lists that `compare` takes in place of one machine: machines, links, prices, presets of moving
// states.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "model/base/units.hpp"

namespace ooc {

struct MachineLists {
  std::vector<std::string> machines;                 ///< as the user named them
  std::vector<std::optional<BytesPerSecond>> links;  ///< link rates; unset: the profile's
  std::vector<double> prices;                        ///< by machine and link; or empty
  std::vector<std::int64_t> states;                  ///< presets of --state, if several

  /// True for a single machine, which gets a table of its schedules.
  [[nodiscard]] bool are_one() const {
    return machines.size() == 1 && links.size() == 1 && prices.empty() && states.empty();
  }
};

/// Returns the presets of --state if it is a list or "all"; else empty.
[[nodiscard]] std::vector<std::int64_t> compared_states(const Arguments& arguments);
/// Reads --hardware, --link, --price and --state. Throws SpecError for missing, repeated or too many values.
[[nodiscard]] MachineLists machine_lists(const Arguments& arguments);

}  // namespace ooc
