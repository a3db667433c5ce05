// The measuring part of `calibrate`: finds and starts the measuring program, keeps what it says.
#pragma once

#include <optional>
#include <string>

#include "cli/calibrate/calibrate_options.hpp"

namespace ooc {

/// Writes the samples file, where one may lie beside the profile.
void keep_samples(const CalibrateOptions& options, const std::string& records);

/// Appends what is measured to `records`, which holds those of --from, and to the samples file, which begins with those. The exit code where there is nothing to fit, none where the work goes on. Throws Interrupted after
/// Ctrl-C, with the samples in order.
[[nodiscard]] std::optional<int> measure(const CalibrateOptions& options, std::string& records);

}  // namespace ooc
