// What the command line of `replay` says, checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "simulator/replay/replay_text.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

/// What CUDA devices map at least. It is not asked of the device: a plan that is exported knows none, and an
/// import must make the same plan again.
inline constexpr Bytes kUsualPage{std::int64_t{2} << 20};

struct ReplayOptions {
  std::string network;
  std::string profile;
  const Schedule* schedule = nullptr;
  CaseOptions job;
  ResultOptions result;
  ReplayRun run;  ///< but its id
  std::optional<double> tolerance;
  std::optional<std::string> import;  ///< a recording in place of a device
  Bytes page = kUsualPage;            ///< 0: none
  bool export_only = false;
  std::string device;
  std::optional<std::string> probe;
  int silence_ms = 0;
  bool show_steps = false;
};

[[nodiscard]] ReplayOptions replay_options(const Arguments& arguments);

/// "spin" or "real"
[[nodiscard]] std::string_view replay_mode_name(ReplayMode mode);

}  // namespace ooc
