// The convolutions that were measured, as a profile keeps them: every algorithm with its median time
// and its workspace.
#pragma once

#include <vector>

#include "calibrate/session/samples.hpp"
#include "model/hardware/hardware_profile.hpp"

namespace ooc {

/// In the order in which they were asked for. A shape, type, batch and pass comes once.
[[nodiscard]] std::vector<MeasuredLayer> measured_layers(const SampleSet& set);

}  // namespace ooc
