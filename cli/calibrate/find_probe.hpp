// Search for the calibration program: --probe, OOC_PALEO_GPU, beside this program, in PATH.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ooc {

struct FoundProbe {
  std::optional<std::string> program;
  std::vector<std::string> looked_for;  ///< paths tried, in this order
};

/// `flag`: value of --probe. Throws SpecError if --probe or OOC_PALEO_GPU cannot be run.
[[nodiscard]] FoundProbe find_probe(const std::optional<std::string>& flag);

/// Returns "no GPU <purpose>: <reason>" with all paths tried.
[[nodiscard]] std::string no_device_text(const std::string& purpose, const std::string& reason,
                                         const FoundProbe& found);

}  // namespace ooc
