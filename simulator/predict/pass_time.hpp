// How long passes over a network take in core, as others measure them: memory enough, the fastest
// algorithms, the software that the case was made with.
#pragma once

#include "simulator/predict/case.hpp"

namespace ooc {

enum class TimedPass { kForward, kForwardBackward, kTraining };

/// Options under which nothing has to leave near memory.
[[nodiscard]] CaseOptions in_core_options(CaseOptions options);

/// From the start of the iteration to the end of that part of it. Precondition: it fits.
[[nodiscard]] Duration time_of_pass(const Case& which, TimedPass pass);

/// What the gradient of the network's inputs takes, which no graph has and some frameworks compute; zero
/// where no convolution reads an input or the profile has no architecture.
[[nodiscard]] Duration input_gradient_time(const Case& which);

/// What it takes to bring the parameters from far memory and, where the pass has them, their gradients
/// back, one pinned copy a layer and direction, none beside another or beside a task.
[[nodiscard]] Duration parameter_copies_time(const Case& which, TimedPass pass);

}  // namespace ooc
