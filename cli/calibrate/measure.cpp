// Every line goes to the samples file as it comes, so that whatever happens nothing measured is lost.
#include "cli/calibrate/measure.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "calibrate/session/samples.hpp"
#include "cli/interrupt.hpp"
#include "cli/outputs.hpp"
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

std::vector<std::string> bench_arguments(const Arguments& arguments) {
  const bool full = arguments.has("--full");
  std::vector<std::string> words{
      full ? "--full" : "--quick", "--device", device_number_of(arguments), "--within",
      fmt::format("{:.3f}", within_s_of(arguments).value_or(usual_limit_s(full)))};
  if (arguments.has("--time-limit")) {
    words.insert(words.end(), {"--limit", fmt::format("{:.3f}", silence_ms_of(arguments) / 1e3)});
  }
  if (arguments.has("--from") && has_files_beside(arguments)) {
    words.insert(words.end(), {"--resume", samples_path(arguments)});
  }
  return words;
}

std::string how_to_continue(const Arguments& arguments) {
  const std::string output = arguments.output();
  if (!has_files_beside(arguments)) return "no samples are kept beside " + output;
  std::string text =
      fmt::format("the samples are kept; go on with: ooc-paleo calibrate -o {} --from {}", output,
                  samples_path(arguments));
  if (arguments.has("--full")) text += " --full";
  for (const char* flag : {"--device", "--like", "--within"}) {
    if (const auto value = arguments.value(flag)) text += fmt::format(" {} {}", flag, *value);
  }
  return text;
}

/// Where the samples lie beside the profile. Two calibrations at once would measure each other and overwrite each other's
/// samples: a lock on the file refuses the second; the kernel drops it with the process, however that ends.
class SamplesFile {
 public:
  /// With the records of --from. Where they are this file's own, nothing but half a line at its end is taken away.
  SamplesFile(const Arguments& arguments, const std::string& records) {
    if (!has_files_beside(arguments)) return;
    const std::string path = samples_path(arguments);
    std::error_code none;
    const auto from = arguments.value("--from");
    const bool own = from && std::filesystem::equivalent(*from, path, none);
    file_ = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file_ < 0) {
      bad_value("--output", path + ": " + std::generic_category().message(errno),
                "a place that can be written");
    }
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      bad_value("--output", arguments.output() + ", which another calibration is writing",
                "one calibration at a time");
    }
    if (ftruncate(file_, own ? static_cast<off_t>(records.size()) : 0) != 0) cannot_write();
    if (!own) append(records);
  }
  ~SamplesFile() {
    if (file_ >= 0) close(file_);
  }
  SamplesFile(const SamplesFile&) = delete;
  SamplesFile& operator=(const SamplesFile&) = delete;

  void append(std::string_view text) const {
    if (file_ >= 0 && !write_fully(file_, text)) cannot_write();
  }

 private:
  [[noreturn]] static void cannot_write() {
    bad_value("--output", "samples: " + std::generic_category().message(errno),
              "room for what is measured");
  }
  int file_ = -1;
};

/// Runs the program and takes what it says. How it ended, or none after Ctrl-C.
std::optional<ChildEnd> run_bench(const std::string& program, const Arguments& arguments,
                                  std::string& records) {
  constexpr int kOpeningMs = 100'000;  // until the device is open
  const SamplesFile file(arguments, records);
  ProgressLine progress(arguments.remarks());
  const auto from = arguments.value("--from");
  const std::string greeting = R"({"record":"hello","format":"ooc-paleo/bench","version":1})"
                               "\n";
  return run_child(program, bench_arguments(arguments), silence_ms_of(arguments) + kOpeningMs,
                   [&](const std::string& line) {
                     bool is_machine = false;
                     read_records(greeting + line, program, [&](const BenchRecord& record) {
                       progress.take(record);
                       is_machine = record.kind == "machine";
                     });
                     records += line;
                     // The same one?
                     if (is_machine && from) (void)read_samples(records, *from);
                     file.append(line);
                   });
}

}  // namespace

void keep_samples(const Arguments& arguments, const std::string& records) {
  const SamplesFile kept(arguments, records);
}

std::optional<int> measure(const Arguments& arguments, std::string& records) {
  const FoundProbe found = find_probe(arguments.value("--probe"));
  const auto without = [&](const std::string& reason, const FoundProbe& looked) {
    if (!arguments.has("--from")) {
      std::error_code ignored;
      if (has_files_beside(arguments)) std::filesystem::remove(samples_path(arguments), ignored);
      remark(Remarks::kShown, no_device_text("to measure", reason, looked));
      return std::optional<int>(kExitNoDevice);
    }
    remark(arguments.remarks(),
           "not measured (" + reason + "): the samples are fitted as they are");
    return std::optional<int>();
  };
  if (!found.program) return without("ooc-paleo-gpu was not found", found);
  const InterruptGuard guard;
  const auto ended = run_bench(*found.program, arguments, records);
  if (!ended) {
    remark(Remarks::kShown, how_to_continue(arguments));
    throw Interrupted();
  }
  if (ended->exit_code == 0) return std::nullopt;
  if (ended->exit_code == kExitNoDevice)
    return without(no_device_reason(records).value_or("none"), {});
  if (records.empty()) return without(*found.program + " " + ended->how, {});
  // What there is is fitted all the same.
  remark(Remarks::kShown, *found.program + " " + ended->how + "; " + how_to_continue(arguments));
  return std::nullopt;
}

// What the user names must be there; what is only usual may be missing.

namespace {

namespace fs = std::filesystem;

constexpr const char* kProbeName = "ooc-paleo-gpu";

std::string named(const std::string& path, std::string_view by) {
  if (can_run(path)) return path;
  bad_value(by, in_quotes(path) + ", which is no program that can be run",
            "the path of ooc-paleo-gpu (docs/calibration.md says how to build it)");
}

}  // namespace

FoundProbe find_probe(const std::optional<std::string>& flag) {
  FoundProbe found;
  if (flag) {
    found.program = named(*flag, "--probe");
    return found;
  }
  if (const char* own = std::getenv("OOC_PALEO_GPU"); own != nullptr && *own != '\0') {
    found.program = named(own, "OOC_PALEO_GPU");
    return found;
  }
  std::vector<std::string> candidates;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) candidates.push_back((program.parent_path() / kProbeName).string());
  const std::vector<std::string> on_path = places_on_path(kProbeName);
  candidates.insert(candidates.end(), on_path.begin(), on_path.end());
  for (const std::string& candidate : candidates) {
    if (can_run(candidate)) {
      found.program = candidate;
      return found;
    }
    found.looked_for.push_back(candidate);
  }
  return found;
}

std::optional<std::string> no_device_reason(const std::string& records) {
  std::optional<std::string> reason;
  if (records.empty()) return reason;
  read_records(records, "", [&](const BenchRecord& record) {
    if (record.kind == "no_device") reason = record.text("reason");
  });
  return reason;
}

std::string no_device_text(const std::string& purpose, const std::string& reason,
                           const FoundProbe& found) {
  std::string text = "no GPU " + purpose + ": " + reason;
  for (const std::string& place : found.looked_for) text += "\n  looked for " + place;
  if (!found.looked_for.empty()) {
    text += "\n  docs/calibration.md says how to build it; --probe PATH or OOC_PALEO_GPU names it";
  }
  return text;
}

}  // namespace ooc
