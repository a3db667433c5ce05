// Asks the device, or the recording. What ends a replay without times is said here, because nothing comes after it.
#include "cli/replay/run_plan.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "calibrate/session/samples.hpp"
#include "cli/calibrate/find_probe.hpp"
#include "cli/child_process.hpp"
#include "cli/interrupt.hpp"
#include "cli/output_file.hpp"
#include "cli/text_file.hpp"

namespace ooc {
namespace {

namespace fs = std::filesystem;

int no_device_to_replay(const std::string& reason, const FoundProbe& found) {
  remark(
      Remarks::kShown,
      no_device_text("to replay on", reason, found) +
          "\n  without one: --export-plan FILE, then --import-measurements (docs/calibration.md)");
  return kExitNoDevice;
}

/// A file for the plan, which goes when the run is over.
class PlanFile {
 public:
  explicit PlanFile(const std::string& text)
      : path_((fs::temp_directory_path() / fmt::format("ooc-paleo-{}.plan", getpid())).string()) {
    OutputFile("the plan", path_).finish(text);
  }
  ~PlanFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  PlanFile(const PlanFile&) = delete;
  PlanFile& operator=(const PlanFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::variant<std::string, int> run_on_device(const ReplayOptions& options, const ReplayText& plan) {
  const FoundProbe found = find_probe(options.probe);
  if (!found.program) return no_device_to_replay("ooc-paleo-gpu was not found", found);
  const InterruptGuard guard;
  const PlanFile file(plan.text);
  ChildProcess child(*found.program,
                     {"--only", "replay", "--replay", file.path(), "--device", options.device});
  if (!child.error().empty()) {
    return no_device_to_replay(*found.program + " cannot be started: " + child.error(), {});
  }
  std::string records;
  std::string how = fmt::format("said nothing for {} s", options.silence_ms / 1000.0);
  while (true) {
    ChildProcess::Read read = child.read_line(options.silence_ms, &InterruptGuard::interrupted);
    if (const auto* line = std::get_if<ChildProcess::Line>(&read)) {
      records += line->text + "\n";
      continue;
    }
    if (std::holds_alternative<ChildProcess::Stopped>(read)) throw Interrupted();
    const auto* ended = std::get_if<ChildProcess::Ended>(&read);
    if (ended != nullptr && ended->exit_code == 0) return records;
    if (ended != nullptr) how = ended->how;
    break;
  }
  child.kill();
  std::optional<std::string> reason;
  if (!records.empty()) {
    read_records(records, *found.program, [&](const BenchRecord& record) {
      if (record.kind == "no_device") reason = record.text("reason");
    });
  }
  if (reason) return no_device_to_replay(*reason, {});
  remark(Remarks::kShown, "the measuring program " + how);
  return kExitNoDevice;
}

}  // namespace

std::variant<MeasuredRun, int> run_plan(const ReplayOptions& options, const ReplayText& text,
                                        const ReplayPlan& plan) {
  std::string records;
  std::string from = "ooc-paleo-gpu";
  if (options.import) {
    from = *options.import;
    records = read_text_file(from, "--import-measurements", options.job.limits);
  } else {
    auto answer = run_on_device(options, text);
    if (const int* code = std::get_if<int>(&answer)) return *code;
    records = std::get<std::string>(std::move(answer));
  }
  auto run = read_measured_run(records, from, text.id, plan);
  if (auto* measured = std::get_if<MeasuredRun>(&run)) return std::move(*measured);
  remark(Remarks::kShown, "the device did not run the plan: " + std::get<std::string>(run));
  return kExitNoDevice;
}

}  // namespace ooc
