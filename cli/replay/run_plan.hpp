// How a plan gets its measured run, from a device or a recording.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "model/hardware/hardware_profile.hpp"
#include "simulator/replay/replay_plan.hpp"
#include "simulator/schedules/schedule.hpp"
#include "simulator/summary/replay_report.hpp"

namespace ooc {

// Result of a replay from the output of ooc-paleo-gpu, and a check that the profile describes that machine.

/// Returns the latest answer to plan `id`, or why the device did not run it. `text` may hold other
/// plans and measurements. Throws SpecError if it is malformed or has no answer.
[[nodiscard]] std::variant<MeasuredRun, std::string> read_measured_run(std::string_view text,
                                                                       const std::string& file,
                                                                       long long id,
                                                                       const ReplayPlan& plan);
[[nodiscard]] std::vector<Span> measured_spans(const MeasuredRun& run);
/// Returns, by step, the waits of the plan and those for memory.
[[nodiscard]] Csr<StepId, StepId> all_waits(const ReplayPlan& plan);

/// Returns why the profile may describe another device, for a warning; empty: no reason. A measured
/// profile states its device. Otherwise name and description are searched for the model ("H200"); a
/// renamed device stays undetected.
[[nodiscard]] std::string machine_mismatch(const HardwareProfile& profile,
                                           const std::string& device);

/// Returns the measured run; or the exit code, after a message on standard error. Throws
/// Interrupted after Ctrl-C.
[[nodiscard]] std::variant<MeasuredRun, int> run_plan(const Arguments& arguments,
                                                      const ReplayText& text,
                                                      const ReplayPlan& plan);

}  // namespace ooc
