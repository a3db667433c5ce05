// The running part of `replay`: what a device or a recording answers to a plan.
#pragma once

#include <variant>

#include "cli/replay/measured_run.hpp"
#include "cli/replay/replay_options.hpp"

namespace ooc {

/// What was measured; or, said on standard error already, the exit code with which the command ends.
/// Throws Interrupted after Ctrl-C.
[[nodiscard]] std::variant<MeasuredRun, int> run_plan(const ReplayOptions& options,
                                                      const ReplayText& text,
                                                      const ReplayPlan& plan);

}  // namespace ooc
