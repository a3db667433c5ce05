// From what a device answered to what reports read: nanoseconds as integers, steps as the plan numbers them.
#pragma once

#include <vector>

#include "calibrate/session/replay_records.hpp"
#include "simulator/replay/replay_plan.hpp"
#include "simulator/summary/replay_report.hpp"

namespace ooc {

[[nodiscard]] MeasuredRun measured_run(const ReplayMeasurement& measurement,
                                       const ReplayPlan& plan);
[[nodiscard]] std::vector<Span> measured_spans(const MeasuredRun& run);
/// All waits: those of the plan, and those for memory.
[[nodiscard]] Csr<StepId, StepId> all_waits(const ReplayPlan& plan);

}  // namespace ooc
