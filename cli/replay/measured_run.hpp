// Result of a replay from the output of ooc-paleo-gpu, and a check that the profile is of that machine.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/hardware/hardware_profile.hpp"
#include "simulator/replay/replay_plan.hpp"
#include "simulator/summary/replay_report.hpp"

namespace ooc {

/// Returns the latest answer to plan `id`, or why the device did not run it. `text` may hold other
/// plans and measurements. Throws SpecError if it is malformed or has no answer.
[[nodiscard]] std::variant<MeasuredRun, std::string> read_measured_run(std::string_view text,
                                                                       const std::string& file,
                                                                       long long id,
                                                                       const ReplayPlan& plan);
[[nodiscard]] std::vector<Span> measured_spans(const MeasuredRun& run);
/// Returns all waits: the plan's and those for memory.
[[nodiscard]] Csr<StepId, StepId> all_waits(const ReplayPlan& plan);

/// Returns why the profile may be of another device, for a warning; empty: no reason. A measured
/// profile knows its device. Of others, name and description are searched for the model ("H200"); a
/// renamed device stays unknown.
[[nodiscard]] std::string machine_mismatch(const HardwareProfile& profile,
                                           const std::string& device);

}  // namespace ooc
