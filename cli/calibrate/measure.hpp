// The measuring part of `calibrate`: finds and starts the measuring program, keeps what it says.
#pragma once

#include <optional>

#include "cli/calibrate/calibrate_options.hpp"

namespace ooc {

/// Measures into `set` what `wanted` plans and it lacks. The exit code where there is nothing to fit,
/// none where the work goes on: then `set` holds all there is to have. Throws Interrupted after
/// Ctrl-C, with the samples in order.
[[nodiscard]] std::optional<int> measure(const CalibrateOptions& options, const PlanInput& wanted,
                                         SampleSet& set);

void save_samples(const CalibrateOptions& options, const SampleSet& set);

}  // namespace ooc
