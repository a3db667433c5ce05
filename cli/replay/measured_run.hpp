// From what a device answered to what reports read: nanoseconds as integers, waits as a table.
#pragma once

#include <vector>

#include "calibrate/session/replay_session.hpp"
#include "simulator/replay/replay_program.hpp"
#include "simulator/summary/replay_report.hpp"

namespace ooc {

[[nodiscard]] MeasuredRun measured_run(const ReplayMeasurement& measurement);
[[nodiscard]] std::vector<Span> measured_spans(const MeasuredRun& run);
/// All waits of the program: those of the plan, and those for memory.
[[nodiscard]] Csr<StepId, StepId> program_waits(const ReplayProgram& program);

}  // namespace ooc
