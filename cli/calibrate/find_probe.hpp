// Where the measuring program is: --probe, OOC_PALEO_GPU, beside this program, in PATH.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ooc {

struct FoundProbe {
  std::optional<std::string> program;
  std::vector<std::string> looked_for;  ///< in this order
};

/// SpecError where --probe or OOC_PALEO_GPU names what cannot be run; `flag` is --probe's value.
[[nodiscard]] FoundProbe find_probe(const std::optional<std::string>& flag);

/// "no GPU <purpose>: <reason>" with all places that were looked at, for a person.
[[nodiscard]] std::string no_device_text(const std::string& purpose, const std::string& reason,
                                         const FoundProbe& found);

}  // namespace ooc
