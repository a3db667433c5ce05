// The clock is asked here and nowhere below: for the date of what is measured today.
#include "cli/calibrate/measure.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>

#include "calibrate/session/run_session.hpp"
#include "cli/calibrate/find_probe.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "model/base/terminal_text.hpp"

namespace ooc {
namespace {

/// Something is left of the promised minute and eight minutes for starting, saving and fitting.
double usual_limit_s(Effort effort) { return effort == Effort::kFull ? 460 : 55; }

std::string today() {
  using namespace std::chrono;
  const year_month_day date(floor<days>(system_clock::now()));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

/// One line on a terminal, rewritten; nothing elsewhere.
class ProgressLine {
 public:
  explicit ProgressLine(Remarks remarks)
      : shown_(remarks == Remarks::kShown && isatty(STDERR_FILENO) != 0) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(const SessionProgress& progress) {
    if (!shown_) return;
    drawn_ = true;
    const std::string line =
        fmt::format("\r\033[K{} of {}, about {:.0f} s left: {}", progress.done, progress.total,
                    progress.seconds_left, printable(cut_text(progress.next, 60)));
    std::fputs(line.c_str(), stderr);
  }
  /// Before anything else is said.
  void clear() {
    if (drawn_) std::fputs("\r\033[K", stderr);
    drawn_ = false;
  }

 private:
  bool shown_;
  bool drawn_ = false;
};

std::string how_to_continue(const CalibrateOptions& options, const SampleSet& set) {
  if (set.groups.empty()) return "nothing was measured";
  if (!has_files_beside(options)) return "no samples are kept beside " + options.output;
  return fmt::format("{} samples are kept; continue with: ooc-paleo calibrate -o {} --from {}{}",
                     set.count(), options.output, samples_path(options), options.again);
}

int no_device(const std::string& reason, const FoundProbe& found) {
  remark(Remarks::kShown, no_device_text("to measure", reason, found));
  return kExitNoDevice;
}

}  // namespace

void save_samples(const CalibrateOptions& options, const SampleSet& set) {
  if (!has_files_beside(options)) return;
  OutputFile file("--output", samples_path(options));
  file.write(write_samples(set));
  file.commit();
}

std::optional<int> measure(const CalibrateOptions& options, const PlanInput& wanted,
                           SampleSet& set) {
  const auto begin = std::chrono::steady_clock::now();
  const FoundProbe found = find_probe(options.probe);
  if (!found.program) {
    if (!options.from) return no_device("ooc-paleo-gpu was not found", found);
    remark(options.remarks, "no ooc-paleo-gpu: fitting the samples as they are");
    return std::nullopt;
  }
  const InterruptGuard guard;
  ProbeOrNone started = start_child_probe({.program = *found.program,
                                           .arguments = {"--device", options.device},
                                           .silence_limit_ms = options.silence_ms},
                                          &InterruptGuard::interrupted);
  if (InterruptGuard::interrupted()) {
    remark(Remarks::kShown, how_to_continue(options, set));
    throw Interrupted();
  }
  if (const auto* none = std::get_if<NoProbe>(&started)) {
    if (!options.from) return no_device(none->reason, {});
    remark(options.remarks, "no GPU (" + none->reason + "): fitting the samples as they are");
    return std::nullopt;
  }
  Probe& probe = *std::get<std::unique_ptr<Probe>>(started);
  const std::string difference = machine_difference(set.machine, probe.machine());
  if (!difference.empty()) {
    bad_value("--from", "samples of another machine: " + difference, "samples of this one",
              "--probe none fits them without measuring");
  }
  // A resumed session keeps what the first one saw: memory that was free, the link when it was idle.
  if (set.machine.empty()) set.machine = probe.machine();
  set.program = probe.program();
  set.backend = probe.backend();
  if (set.date.empty()) set.date = options.date.value_or(today());
  set.effort = effort_name(wanted.effort);

  const double limit_s = options.within_s.value_or(usual_limit_s(wanted.effort));
  ProgressLine line(options.remarks);
  PlanInput input = wanted;
  input.machine = set.machine;
  const SessionResult result = run_session(
      probe, input, set,
      {.save = [&](const SampleSet& now) { save_samples(options, now); },
       .progress = [&](const SessionProgress& progress) { line.show(progress); },
       .stop = &InterruptGuard::interrupted,
       .time_is_up =
           [&](double next_s) {
             const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
             return spent.count() + next_s > limit_s;
           }});
  line.clear();
  if (result.end == SessionEnd::kStopped) {
    remark(Remarks::kShown, how_to_continue(options, set));
    throw Interrupted();
  }
  if (result.end == SessionEnd::kProbeLost) {
    remark(Remarks::kShown, "the measuring program " + result.reason);
    remark(Remarks::kShown, how_to_continue(options, set));
    return kExitNoDevice;
  }
  if (result.end == SessionEnd::kTimeUp) {
    remark(Remarks::kShown,
           fmt::format("time was up: {} requests were not measured", result.left_out));
    remark(Remarks::kShown, how_to_continue(options, set));
  }
  return std::nullopt;
}

}  // namespace ooc
