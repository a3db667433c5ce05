// What `compare` takes in place of one machine: lists of machines and links, and prices of them.
#pragma once

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

  /// One machine as it is gets the table of its schedules.
  [[nodiscard]] bool are_one() const {
    return machines.size() == 1 && links.size() == 1 && prices.empty();
  }
};

/// --hardware, --link and --price. SpecError for what is missing, given twice or too much.
[[nodiscard]] MachineLists machine_lists(const Arguments& arguments);

}  // namespace ooc
