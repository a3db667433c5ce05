// Measuring part of `calibrate`: finds and starts the calibration program, stores its output.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/calibrate/calibrate_options.hpp"
#include "cli/child_process.hpp"

namespace ooc {

/// Writes the samples file, if one can be stored beside the profile.
void keep_samples(const CalibrateOptions& options, const std::string& records);

/// Appends samples to `records` (which holds those of --from) and to the samples file. Returns the exit code
/// if there is nothing to fit; unset: go on. Throws Interrupted after Ctrl-C, with complete samples.
[[nodiscard]] std::optional<int> measure(const CalibrateOptions& options, std::string& records);

struct FoundProbe {
  std::optional<std::string> program;
  std::vector<std::string> looked_for;  ///< paths tried, in this order
};

/// `flag`: value of --probe. Throws SpecError if --probe or OOC_PALEO_GPU cannot be run.
[[nodiscard]] FoundProbe find_probe(const std::optional<std::string>& flag);

/// Returns why the program that said this found no device; unset: it found one.
[[nodiscard]] std::optional<std::string> no_device_reason(const std::string& records);

/// Returns "no GPU <purpose>: <reason>" with all paths tried.
[[nodiscard]] std::string no_device_text(const std::string& purpose, const std::string& reason,
                                         const FoundProbe& found);

}  // namespace ooc
