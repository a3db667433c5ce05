// Options of `replay`, and its running part: the answer of a device or a recording to a plan.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/replay/measured_run.hpp"
#include "simulator/replay/replay_plan.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

struct ReplayOptions {
  std::string network;
  std::string profile;
  const Schedule* schedule = nullptr;
  CaseOptions job;
  ResultOptions result;
  ReplayRun run;
  std::optional<double> tolerance;
  std::optional<std::string> import;  ///< recording to use in place of a device
  bool export_only = false;
  std::string device;
  std::optional<std::string> probe;
  int silence_ms = 0;
};

[[nodiscard]] ReplayOptions replay_options(const Arguments& arguments);

/// Returns "spin" or "busy".
[[nodiscard]] std::string_view replay_mode_name(ReplayMode mode);

/// Returns the measurement; or the exit code, after a message on standard error. Throws Interrupted
/// after Ctrl-C.
[[nodiscard]] std::variant<MeasuredRun, int> run_plan(const ReplayOptions& options,
                                                      const ReplayText& text,
                                                      const ReplayPlan& plan);

}  // namespace ooc
