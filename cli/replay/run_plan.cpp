// Asks the device, or the recording. What ends a replay without times is said here, because nothing
// comes after it.
#include "cli/replay/run_plan.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "cli/calibrate/find_probe.hpp"
#include "cli/interrupt.hpp"
#include "cli/text_file.hpp"
#include "model/base/quantity_io.hpp"

namespace ooc {
namespace {

int no_device_to_replay(const std::string& reason, const FoundProbe& found) {
  remark(Remarks::kShown,
         no_device_text("to replay on", reason, found) +
             "\n  without one: --export-plan FILE, then --import-measurements (docs/replay.md)");
  return kExitNoDevice;
}

/// Said before gigabytes are filled; the device would say it too.
bool has_room(const ReplayProgram& program, const KeyValues& machine) {
  const auto free = find_integer(machine, "memory_free_bytes");
  const Bytes needed = program.static_bytes + program.pool_bytes();
  if (!free || needed.count() <= *free) return true;
  remark(Remarks::kShown,
         fmt::format("the plan needs {} of near memory, {} static and {} in blocks; {} has {} free",
                     format_bytes(needed), format_bytes(program.static_bytes),
                     format_bytes(program.pool_bytes()),
                     find_value(machine, "device_name").value_or("the device"),
                     format_bytes(Bytes(*free))));
  return false;
}

std::variant<ReplayMeasurement, int> verdict(ReplayAnswer answer) {
  const auto end = [&](std::string_view what, int code) {
    remark(Remarks::kShown, fmt::format("{}: {}", what, answer.reason));
    return code;
  };
  switch (answer.end) {
    case ReplayEnd::kDone:
      return std::move(answer.measurement);
    case ReplayEnd::kWrongContents:
      return end("the content check failed, so nothing was timed", kExitFailedCheck);
    case ReplayEnd::kNoSpace:
      return end("the plan does not fit on the device", kExitDoesNotFit);
    case ReplayEnd::kRefused:
      return end("the device did not run the plan", kExitNoDevice);
    case ReplayEnd::kLost:
      remark(Remarks::kShown, "the measuring program " + answer.reason);
      return kExitNoDevice;
    case ReplayEnd::kStopped:
      throw Interrupted();
  }
  return kExitInternal;
}

}  // namespace

ReplayJob replay_job(const ReplayProgram& program, ReplayRun run) {
  run.id = replay_id(write_replay_requests(program, run));
  return {.id = run.id,
          .steps = program.steps.size(),
          .requests = write_replay_requests(program, run),
          .plan_version = program.pool ? kPagedPlanVersion : 1};
}

std::variant<ReplayMeasurement, int> run_plan(const ReplayOptions& options,
                                              const ReplayProgram& program, const ReplayJob& job) {
  if (options.import) {
    const std::string text =
        read_text_file(*options.import, "--import-measurements", options.job.limits);
    return verdict(read_replay_log(text, *options.import, job));
  }
  const FoundProbe found = find_probe(options.probe);
  if (!found.program) return no_device_to_replay("ooc-paleo-gpu was not found", found);
  const InterruptGuard guard;
  ReplayDeviceOrNone started = start_replay_device({.program = *found.program,
                                                    .arguments = {"--device", options.device},
                                                    .silence_limit_ms = options.silence_ms},
                                                   &InterruptGuard::interrupted);
  if (InterruptGuard::interrupted()) throw Interrupted();
  if (const auto* none = std::get_if<NoProbe>(&started))
    return no_device_to_replay(none->reason, {});
  ReplayDevice& device = *std::get<std::unique_ptr<ReplayDevice>>(started);
  if (!has_room(program, device.machine())) return kExitDoesNotFit;
  return verdict(device.replay(job, &InterruptGuard::interrupted));
}

}  // namespace ooc
