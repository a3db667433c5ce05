// `fit`: whether a job fits, as an exit status and one line, for job scripts.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/job.hpp"
#include "cli/options.hpp"
#include "model/base/quantity_io.hpp"
#include "model/base/terminal_text.hpp"
#include "reports/writers/rows.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "simulator/summary/summarize.hpp"

namespace ooc {
namespace {

constexpr Flag kSchedules{
    .name = "--schedule",
    .value = "LIST",
    .help = "names between commas, one of which has to fit, or all; default capacity",
    .completes = Completes::kSchedules,
    .brief = "--schedules"};

const auto kFitFlags =
    flags::joined(flags::of_runs(), {kSchedules, flags::kOutput, flags::kMaxInput, flags::kQuiet});

/// True if 3 % less memory would not do.
bool fits_barely(const Job& job, const Schedule& schedule, const RunReport& report) {
  constexpr double kLess = 0.97;
  const auto less = static_cast<double>(report.budget_near.count()) * kLess;
  if (static_cast<double>(report.peak_near.count()) <= less) return false;
  CaseOptions options = job.options;
  options.memory = Bytes(std::llround(less));
  const Case which = make_case(job.workload, job.machine(), options);
  return !predict(which, schedule, Detail::kTotals, Bounds::kNone).feasible;
}

std::string fitting(const RunReport& report, bool barely) {
  std::string errors;
  if (report.errors && report.errors->figures == 0) errors = "; no job like it was measured";
  if (report.errors && report.errors->figures > 0) {
    errors = fmt::format("; of {} measured jobs like it the median error is {}, the worst {}",
                         report.errors->figures, format_percent(report.errors->median),
                         format_percent(report.errors->largest));
  }
  return fmt::format("{}: {}, under {}: peak {} of {}, {} to spare, {} per iteration{}\n",
                     barely ? "barely fits" : "fits", job_text(report.inputs),
                     report.inputs.schedule, format_bytes(report.peak_near),
                     format_bytes(report.budget_near),
                     format_bytes(report.budget_near - report.peak_near),
                     format_duration(report.iteration_time), errors);
}

std::string lacking(const RunReport& report) {
  const OutOfMemory& oom = *report.out_of_memory;
  const bool near = oom.tier == OutOfMemory::Tier::kNear;
  const std::optional<Bytes> least = needed_bytes(oom);
  std::string text =
      fmt::format("does not fit: {}, under {}: {} memory lacks {} at {}", job_text(report.inputs),
                  report.inputs.schedule, near ? "near" : "far",
                  format_bytes(lacking_bytes(report)), printable(oom.step));
  if (least) {
    text += fmt::format("; the smallest that suffices is {}{} ({} B)", needed_word(oom),
                        format_bytes(*least), least->count());
  }
  if (near) text += fmt::format("; there are {}", format_bytes(report.budget_near));
  return text + "; `ooc-paleo advise` tries what would make it fit\n";
}

int run_fit(const Arguments& arguments) {
  if (const auto output = arguments.value("--output")) (void)format_of_name(*output);
  Job job = read_job(arguments, Asks::kRuns);
  const Case which = make_case(job.workload, job.machine(), job.options);
  std::vector<RunReport> reports;
  for (const Schedule* schedule : job.schedules()) {
    RunReport report = predict(which, *schedule, Detail::kTotals, Bounds::kNone);
    if (report.feasible) {
      job.outputs.result.finish(fitting(report, fits_barely(job, *schedule, report)));
      return kExitOk;
    }
    reports.push_back(std::move(report));
  }
  job.outputs.result.finish(lacking(reports[best_first(reports).front()]));
  return kExitDoesNotFit;
}

}  // namespace

extern const Command fit_command{
    .name = "fit",
    .summary = "whether a job fits: exit status 0 or 3 and one line",
    .examples =
        "  ooc-paleo fit vgg16 --hardware v100-16gb-pcie3 --batch 256\n"
        "  ooc-paleo fit resnet50 --hardware p100-pcie3 --batch 512 --schedules "
        "in-core,capacity && sbatch train.sh\n",
    .positionals = flags::kNetwork,
    .flags = kFitFlags,
    .run = &run_fit,
};

}  // namespace ooc
