// Asks the device, or the recording. What ends a replay without times is said here, because nothing comes after it.
#include "cli/replay/run_plan.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <utility>

#include "calibrate/session/samples.hpp"
#include "cli/calibrate/calibrate_options.hpp"
#include "cli/calibrate/like.hpp"
#include "cli/calibrate/measure.hpp"
#include "cli/interrupt.hpp"
#include "cli/outputs.hpp"
#include "model/base/errors.hpp"
#include "model/base/spec_tree.hpp"
#include "model/base/terminal_text.hpp"
#include "model/base/text_file.hpp"

namespace ooc {

// Nanoseconds as integers (a device's events are coarser than that), steps as the plan numbers them. Lists are of equal
// length, as the plan has steps and the run had iterations.

namespace {

Duration rounded(double ns) { return Duration(std::llround(ns)); }

class ReplayReader {
 public:
  ReplayReader(const std::string& file, long long id, const ReplayPlan& plan)
      : file_(file), request_(fmt::format("replay id={}", id)), plan_(plan) {}

  void take(const BenchRecord& record) {
    if (record.kind == "hello") {
      machine_.program = record.text("program");
      machine_.backend = record.text("backend");
    } else if (record.kind == "machine") {
      machine_.device = find_value(record.values, "device_name").value_or("an unnamed device");
    } else if (record.request == request_) {
      take_answer(record);
    } else if (record.request.starts_with("replay ") && record.kind == "done") {
      ++others_;
    }
  }

  std::variant<MeasuredRun, std::string> finish() {
    if (finished_) return std::move(*finished_);
    throw SpecError({file_, "",
                     others_ == 0 ? std::string("no run of a plan")
                                  : fmt::format("runs of {} other plans", others_),
                     "a run of this plan, " + request_,
                     "network, profile, batch, memory, schedule and --compute must be those "
                     "of --export-plan"});
  }

 private:
  void take_answer(const BenchRecord& record) {
    if (record.kind == "begin") {
      open_ = machine_;
    } else if (record.kind == "note") {
      open_.notes.push_back(record.text("text"));
    } else if (record.kind == "iterations") {
      open_.iterations.resize(list(record, "ns").size());
      auto& all = open_.iterations;
      fill(record, "ns", [&](std::size_t i, Duration value) { all[i].time = value; });
      fill(record, "issue_ns", [&](std::size_t i, Duration value) { all[i].issue = value; });
      fill(record, "host_ns", [&](std::size_t i, Duration value) { all[i].host = value; });
    } else if (record.kind == "spans") {
      open_.steps.resize(plan_.order.size());
      const auto step = [&](std::size_t line) -> auto& {
        return open_.steps[plan_.order[line].at()];
      };
      fill(record, "start_ns", [&](std::size_t i, Duration value) { step(i).span.start = value; });
      fill(record, "end_ns", [&](std::size_t i, Duration value) { step(i).span.end = value; });
      fill(record, "median_ns", [&](std::size_t i, Duration value) { step(i).median = value; });
      fill(record, "min_ns", [&](std::size_t i, Duration value) { step(i).min = value; });
      fill(record, "max_ns", [&](std::size_t i, Duration value) { step(i).max = value; });
      for (const MeasuredRun::Step& each : open_.steps) {
        if (each.span.end >= each.span.start) continue;
        fail(record, "a step that ends before it starts", "spans of steps");
      }
    } else if (record.kind == "error") {
      finished_ = find_value(record.values, "text").value_or("no reason given");
    } else if (record.kind == "done") {
      if (open_.iterations.empty() || open_.steps.empty()) {
        fail(record, "the end of a run without its times", "iterations and spans before it");
      }
      open_.near_pool = Bytes(find_integer(record.values, "near_bytes").value_or(0));
      open_.far_pool = Bytes(find_integer(record.values, "far_bytes").value_or(0));
      open_.spin_overhead = rounded(find_number(record.values, "spin_overhead_ns").value_or(0));
      finished_ = std::move(open_);
    }
  }

  [[nodiscard]] static std::vector<double> list(const BenchRecord& record, const char* key) {
    const auto found = record.lists.find(key);
    return found == record.lists.end() ? std::vector<double>{} : found->second;
  }

  /// As many values as there are places for them.
  template <class Put>
  void fill(const BenchRecord& record, const char* key, const Put& put) const {
    const std::vector<double> values = list(record, key);
    const std::size_t count = record.kind == "spans" ? open_.steps.size() : open_.iterations.size();
    if (values.size() != count) {
      fail(record, fmt::format("{} values of {}", values.size(), key), std::to_string(count));
    }
    for (std::size_t i = 0; i < count; ++i) put(i, rounded(values[i]));
  }

  [[noreturn]] void fail(const BenchRecord& record, std::string found, std::string expected) const {
    throw SpecError({file_, record.place, std::move(found), std::move(expected)});
  }

  const std::string& file_;
  std::string request_;
  const ReplayPlan& plan_;
  MeasuredRun machine_;  ///< what is known of every run
  std::size_t others_ = 0;
  MeasuredRun open_;
  std::optional<std::variant<MeasuredRun, std::string>> finished_;
};

/// The device that a measured profile was measured on.
std::string measured_device(const HardwareProfile& profile) {
  if (!profile.machine) return "";
  for (const auto& [key, value] : profile.machine->members) {
    if (key == "device_name") return value.text;
  }
  return "";
}

}  // namespace

std::variant<MeasuredRun, std::string> read_measured_run(std::string_view text,
                                                         const std::string& file, long long id,
                                                         const ReplayPlan& plan) {
  ReplayReader reader(file, id, plan);
  read_records(text, file, [&](const BenchRecord& record) { reader.take(record); });
  return reader.finish();
}

std::vector<Span> measured_spans(const MeasuredRun& run) {
  std::vector<Span> spans;
  spans.reserve(run.steps.size());
  for (const MeasuredRun::Step& step : run.steps) spans.push_back(step.span);
  return spans;
}

Csr<StepId, StepId> all_waits(const ReplayPlan& plan) {
  std::vector<std::pair<StepId, StepId>> pairs;
  for (std::size_t i = 0; i < plan.waits.size(); ++i) {
    for (const std::int32_t wait : plan.waits[i]) {
      pairs.emplace_back(make_id<StepId>(i), StepId{wait});
    }
  }
  return {plan.waits.size(), pairs};
}

std::string machine_mismatch(const HardwareProfile& profile, const std::string& device) {
  const std::string measured = measured_device(profile);
  if (measured == device) return "";
  if (!measured.empty()) {
    return fmt::format("the profile {} was measured on {}, the plan ran on {}", profile.name,
                       measured, device);
  }
  const std::string known = lower_case(profile.name + " " + profile.description);
  const std::string model = model_of(device);
  if (model.empty() || known.find(model) != std::string::npos) return "";
  return fmt::format("the profile {} does not name the device that the plan ran on, {}",
                     profile.name, device);
}

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

std::variant<std::string, int> run_on_device(const Arguments& arguments, const ReplayText& plan) {
  const FoundProbe found = find_probe(arguments.value("--probe"));
  if (!found.program) return no_device_to_replay("ooc-paleo-gpu was not found", found);
  const InterruptGuard guard;
  const PlanFile file(plan.text);
  std::string records;
  const auto ended = run_child(
      *found.program,
      {"--only", "replay", "--replay", file.path(), "--device", device_number_of(arguments)},
      silence_ms_of(arguments), [&](const std::string& line) { records += line; });
  if (!ended) throw Interrupted();
  if (ended->exit_code == 0) return records;
  if (const auto reason = no_device_reason(records)) return no_device_to_replay(*reason, {});
  remark(Remarks::kShown, "the measuring program " + ended->how);
  return kExitNoDevice;
}

}  // namespace

std::variant<MeasuredRun, int> run_plan(const Arguments& arguments, const ReplayText& text,
                                        const ReplayPlan& plan) {
  std::string records;
  std::string from = "ooc-paleo-gpu";
  if (const auto import = arguments.value("--import-measurements")) {
    from = *import;
    records = read_text_file(from, "--import-measurements", arguments.options.limits);
  } else {
    auto answer = run_on_device(arguments, text);
    if (const int* code = std::get_if<int>(&answer)) return *code;
    records = std::get<std::string>(std::move(answer));
  }
  auto run = read_measured_run(records, from, text.id, plan);
  if (auto* measured = std::get_if<MeasuredRun>(&run)) return std::move(*measured);
  remark(Remarks::kShown, "the device did not run the plan: " + std::get<std::string>(run));
  return kExitNoDevice;
}

}  // namespace ooc
