// From what ooc-paleo-gpu says of a plan that it ran to what reports read, and whether the profile is of that machine.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/hardware/hardware_profile.hpp"
#include "simulator/replay/replay_plan.hpp"
#include "simulator/summary/replay_report.hpp"

namespace ooc {

/// The latest answer to the plan of this number, or why the device did not run it; other plans and measurements may be in
/// the text, too. Throws SpecError for what is malformed or holds no answer.
[[nodiscard]] std::variant<MeasuredRun, std::string> read_measured_run(std::string_view text,
                                                                       const std::string& file,
                                                                       long long id,
                                                                       const ReplayPlan& plan);
[[nodiscard]] std::vector<Span> measured_spans(const MeasuredRun& run);
/// All waits: those of the plan, and those for memory.
[[nodiscard]] Csr<StepId, StepId> all_waits(const ReplayPlan& plan);

/// What speaks against the profile being of that device, or an empty text: for a warning, as a prediction for another
/// machine may be what somebody wants to see fail. A measured profile knows its device; of others the device's model
/// ("H200") is looked for in name and description, so a renamed device stays unknown.
[[nodiscard]] std::string machine_mismatch(const HardwareProfile& profile,
                                           const std::string& device);

}  // namespace ooc
