// Measuring part of `calibrate`: finds and starts the calibration program, stores its output.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/calibrate/calibrate_options.hpp"
#include "cli/child_process.hpp"

namespace ooc {

/// Writes `records` to the samples file; nothing if the output is a device or pipe. Throws SpecError if writing fails.
void keep_samples(const Arguments& arguments, const std::string& records);

/// Measures: appends samples to `records` (which contains those of --from) and to the samples file. Returns the exit
/// code if there is nothing to fit; unset: fit. Throws Interrupted after Ctrl-C, with complete samples stored.
[[nodiscard]] std::optional<int> measure(const Arguments& arguments, std::string& records);

struct FoundProbe {
  std::optional<std::string> program;   ///< path; unset: not found
  std::vector<std::string> looked_for;  ///< paths tried without success, in order
};

/// Finds the calibration program. `flag`: value of --probe. Throws SpecError if --probe or OOC_PALEO_GPU cannot run.
[[nodiscard]] FoundProbe find_probe(const std::optional<std::string>& flag);

/// Returns why the calibration program found no device, from its output; unset: the output does not say so.
[[nodiscard]] std::optional<std::string> no_device_reason(const std::string& records);

/// Returns "no GPU <purpose>: <reason>", with the paths of `found` that were tried.
[[nodiscard]] std::string no_device_text(const std::string& purpose, const std::string& reason,
                                         const FoundProbe& found);

}  // namespace ooc
