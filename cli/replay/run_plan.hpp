// Running part of `replay`: the answer of a device or a recording to a plan.
#pragma once

#include <variant>

#include "cli/replay/measured_run.hpp"
#include "cli/replay/replay_options.hpp"

namespace ooc {

/// Returns the measurement; or the exit code, after a message on standard error. Throws Interrupted
/// after Ctrl-C.
[[nodiscard]] std::variant<MeasuredRun, int> run_plan(const ReplayOptions& options,
                                                      const ReplayText& text,
                                                      const ReplayPlan& plan);

}  // namespace ooc
