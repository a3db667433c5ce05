// Measuring part of `calibrate`: finds and starts the calibration program, stores its output.
#pragma once

#include <optional>
#include <string>

#include "cli/calibrate/calibrate_options.hpp"

namespace ooc {

/// Writes the samples file, if one can be stored beside the profile.
void keep_samples(const CalibrateOptions& options, const std::string& records);

/// Appends samples to `records` (which holds those of --from) and to the samples file. Returns the exit code
/// if there is nothing to fit; unset: go on. Throws Interrupted after Ctrl-C, with complete samples.
[[nodiscard]] std::optional<int> measure(const CalibrateOptions& options, std::string& records);

}  // namespace ooc
