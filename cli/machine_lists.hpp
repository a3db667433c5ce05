// What `compare` takes in place of one machine: lists of machines and links, prices of them, and presets of state that
// moves.
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
  std::vector<std::optional<BytesPerSecond>> links;  ///< none: the profile's
  std::vector<double> prices;                        ///< one a machine and link, or none
  std::vector<std::int64_t> states;                  ///< presets of --state, if several

  /// One machine as it is gets the table of its schedules.
  [[nodiscard]] bool are_one() const {
    return machines.size() == 1 && links.size() == 1 && prices.empty() && states.empty();
  }
};

/// --state where it is a list, or "all"; else none.
[[nodiscard]] std::vector<std::int64_t> compared_states(const Arguments& arguments);
/// --hardware, --link, --price and --state. SpecError for what is missing, given twice or too much.
[[nodiscard]] MachineLists machine_lists(const Arguments& arguments);

}  // namespace ooc
