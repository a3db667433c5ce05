// How a plan gets its measured run, from a device or a recording.
#pragma once

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

/// Returns the latest run of plan `id`, or the reason why the device did not run it. `text`: output of
/// ooc-paleo-gpu. Throws SpecError if the text is malformed or has no answer to this plan.
[[nodiscard]] std::variant<MeasuredRun, std::string> read_measured_run(std::string_view text,
                                                                       const std::string& file,
                                                                       long long id,
                                                                       const ReplayPlan& plan);
[[nodiscard]] std::vector<Span> measured_spans(const MeasuredRun& run);
/// Returns by step the steps of other queues that it waits for, for data or memory (StepWaits).
[[nodiscard]] Csr<StepId, StepId> all_waits(const ReplayPlan& plan);

/// Returns why the profile may describe another device, for a warning; empty: no reason. A measured
/// profile states its device. Otherwise name and description are searched for the model ("H200"); a
/// renamed device stays undetected.
[[nodiscard]] std::string machine_mismatch(const HardwareProfile& profile,
                                           const std::string& device);

/// Returns the run on the device, or that of --import-measurements; or the exit code, after a message on
/// standard error. Throws Interrupted after Ctrl-C, SpecError as read_measured_run().
[[nodiscard]] std::variant<MeasuredRun, int> run_plan(const Arguments& arguments,
                                                      const ReplayText& text,
                                                      const ReplayPlan& plan);

}  // namespace ooc
