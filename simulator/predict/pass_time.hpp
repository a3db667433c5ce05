// In-core times of passes over a network, as others measure them: enough memory, the fastest
// algorithms, the case's software.
#pragma once

#include "simulator/predict/case.hpp"

namespace ooc {

enum class TimedPass { kForward, kForwardBackward, kTraining };

/// Returns options with which nothing has to leave GPU memory.
[[nodiscard]] CaseOptions in_core_options(CaseOptions options);

/// Returns the time from the start of the iteration to the end of the pass. Precondition: the job fits.
[[nodiscard]] Duration time_of_pass(const Case& which, TimedPass pass);

/// Returns the time of the gradient of the network's inputs, which graphs leave out and some
/// frameworks compute; 0 if no convolution reads an input or the profile has no architecture.
[[nodiscard]] Duration input_gradient_time(const Case& which);

/// Returns the time to copy parameters in from host memory and, if the pass has them, gradients
/// out: one pinned copy a layer and direction, without overlap.
[[nodiscard]] Duration parameter_copies_time(const Case& which, TimedPass pass);

}  // namespace ooc
