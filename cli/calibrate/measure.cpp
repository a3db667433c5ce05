// Every line goes to the samples file as it comes, so that whatever happens nothing measured is lost.
#include "cli/calibrate/measure.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <variant>
#include <vector>

#include "calibrate/session/child_process.hpp"
#include "calibrate/session/records.hpp"
#include "calibrate/session/samples.hpp"
#include "cli/calibrate/find_probe.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "model/base/terminal_text.hpp"

namespace ooc {
namespace {

/// Something is left of the promised minute and eight minutes for starting and fitting.
double usual_limit_s(bool full) { return full ? 460 : 50; }

/// One line on a terminal, rewritten; nothing elsewhere.
class ProgressLine {
 public:
  explicit ProgressLine(Remarks remarks)
      : shown_(remarks == Remarks::kShown && isatty(STDERR_FILENO) != 0) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void take(const BenchRecord& record) {
    if (!shown_) return;
    if (record.kind == "plan") {
      total_ += find_integer(record.values, "requests").value_or(0);
    } else if (record.kind == "begin") {
      drawn_ = true;
      std::fputs(fmt::format("\r\033[K{} of {}: {}", ++begun_, total_,
                             printable(cut_text(record.request, 60)))
                     .c_str(),
                 stderr);
    }
  }
  /// Before anything else is said.
  void clear() {
    if (drawn_) std::fputs("\r\033[K", stderr);
    drawn_ = false;
  }

 private:
  bool shown_;
  bool drawn_ = false;
  long long total_ = 0;
  long long begun_ = 0;
};

std::vector<std::string> bench_arguments(const CalibrateOptions& options) {
  std::vector<std::string> arguments{
      options.full ? "--full" : "--quick", "--device", options.device, "--within",
      fmt::format("{:.3f}", options.within_s.value_or(usual_limit_s(options.full)))};
  if (options.request_limit_s) {
    arguments.insert(arguments.end(), {"--limit", fmt::format("{:.3f}", *options.request_limit_s)});
  }
  if (options.from && has_files_beside(options)) {
    arguments.insert(arguments.end(), {"--resume", samples_path(options)});
  }
  return arguments;
}

std::string how_to_continue(const CalibrateOptions& options) {
  if (!has_files_beside(options)) return "no samples are kept beside " + options.output;
  return fmt::format("the samples are kept; go on with: ooc-paleo calibrate -o {} --from {}{}",
                     options.output, samples_path(options), options.again);
}

/// The reason of the latest `no_device` record.
std::string no_device_reason(const std::string& records) {
  std::string reason = "none";
  read_records(records, "", [&](const BenchRecord& record) {
    if (record.kind == "no_device") reason = find_value(record.values, "reason").value_or(reason);
  });
  return reason;
}

class Recorder {
 public:
  Recorder(const CalibrateOptions& options, std::string& records)
      : options_(options), records_(records), progress_(options.remarks) {
    keep_samples(options, records);
    if (!has_files_beside(options)) return;
    file_.open(samples_path(options), std::ios::app | std::ios::binary);
  }

  /// How the program ended, or none after Ctrl-C.
  std::optional<ChildProcess::Ended> run(const std::string& program) {
    ChildProcess child(program, bench_arguments(options_));
    if (!child.error().empty()) {
      return ChildProcess::Ended{program + " cannot be started: " + child.error()};
    }
    while (true) {
      ChildProcess::Read read = child.read_line(options_.silence_ms, &InterruptGuard::interrupted);
      if (const auto* line = std::get_if<ChildProcess::Line>(&read)) {
        take(line->text + "\n");
      } else if (auto* ended = std::get_if<ChildProcess::Ended>(&read)) {
        progress_.clear();
        return std::move(*ended);
      } else {
        child.kill();
        progress_.clear();
        if (std::holds_alternative<ChildProcess::Stopped>(read)) return std::nullopt;
        return ChildProcess::Ended{
            fmt::format("said nothing for {} s", static_cast<double>(options_.silence_ms) / 1000)};
      }
    }
  }

 private:
  void take(const std::string& line) {
    bool is_machine = false;
    read_records(R"({"record":"hello","format":"ooc-paleo/bench","version":1})"
                 "\n" +
                     line,
                 options_.probe.value_or("ooc-paleo-gpu"), [&](const BenchRecord& record) {
                   progress_.take(record);
                   is_machine = record.kind == "machine";
                 });
    records_ += line;
    if (is_machine && options_.from) (void)read_samples(records_, *options_.from);  // the same one?
    if (file_.is_open()) file_ << line << std::flush;
  }

  const CalibrateOptions& options_;
  std::string& records_;
  ProgressLine progress_;
  std::ofstream file_;
};

}  // namespace

void keep_samples(const CalibrateOptions& options, const std::string& records) {
  if (has_files_beside(options)) OutputFile("--output", samples_path(options)).finish(records);
}

std::optional<int> measure(const CalibrateOptions& options, std::string& records) {
  const FoundProbe found = find_probe(options.probe);
  const auto without = [&](const std::string& reason, const FoundProbe& looked) {
    if (!options.from) {
      std::error_code ignored;
      if (has_files_beside(options)) std::filesystem::remove(samples_path(options), ignored);
      remark(Remarks::kShown, no_device_text("to measure", reason, looked));
      return std::optional<int>(kExitNoDevice);
    }
    remark(options.remarks, "not measured (" + reason + "): the samples are fitted as they are");
    return std::optional<int>();
  };
  if (!found.program) return without("ooc-paleo-gpu was not found", found);
  const InterruptGuard guard;
  const auto ended = Recorder(options, records).run(*found.program);
  if (!ended) {
    remark(Remarks::kShown, how_to_continue(options));
    throw Interrupted();
  }
  if (ended->exit_code == 0) return std::nullopt;
  if (ended->exit_code == kExitNoDevice) return without(no_device_reason(records), {});
  if (records.empty()) return without(*found.program + " " + ended->how, {});
  // What there is is fitted all the same.
  remark(Remarks::kShown, *found.program + " " + ended->how + "; " + how_to_continue(options));
  return std::nullopt;
}

}  // namespace ooc
