// The running part of `replay`: a plan as request lines, and what a device or a recording answers.
#pragma once

#include <variant>

#include "calibrate/session/replay_session.hpp"
#include "cli/replay/replay_options.hpp"
#include "simulator/replay/replay_program.hpp"

namespace ooc {

/// The request lines of a program, numbered by their fingerprint.
[[nodiscard]] ReplayJob replay_job(const ReplayProgram& program, ReplayRun run);

/// What was measured; or, said on standard error already, the exit code with which the command ends.
/// Throws Interrupted after Ctrl-C.
[[nodiscard]] std::variant<ReplayMeasurement, int> run_plan(const ReplayOptions& options,
                                                            const ReplayProgram& program,
                                                            const ReplayJob& job);

}  // namespace ooc
