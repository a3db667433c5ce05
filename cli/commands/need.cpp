// `need`: the smallest link, memory or rate that makes a job as fast as asked, under every schedule.
#include "simulator/predict/need.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/job.hpp"
#include "simulator/predict/stated_times.hpp"

namespace ooc {
extern const Command need_command;

namespace {

constexpr Flag kWithin{.name = "--within",
                       .value = "SHARE",
                       .help = "of compute alone, above it, e.g. 5%; default 1%"};
constexpr Flag kTime{
    .name = "--time", .value = "TIME", .help = "of an iteration, at most; in place of --within"};

const auto kNeedFlags =
    flags::joined(flags::of_runs({"--schedule"}),
                  {kWithin, kTime, flags::kFormat, flags::kOutput, flags::kReport, flags::kPlot,
                   flags::kMaxInput, flags::kQuiet, flags::kNoColor});

Needed needed_of(const Arguments& arguments) {
  if (arguments.word().empty()) bad_value("WHAT", "none", "one of " + std::string(kNeededWords));
  const auto what = needed_named(arguments.word());
  if (!what) {
    std::string commas(kNeededWords);
    std::replace(commas.begin(), commas.end(), '|', ',');
    unknown_word("WHAT", arguments.word(), split_list(commas, "WHAT"));
  }
  return *what;
}

/// What is searched cannot be given.
void check_free(const Arguments& arguments, Needed what) {
  const auto refuse = [&](FlagName flag) {
    if (!arguments.has(flag)) return;
    bad_value(flag.text(), "it with need " + std::string(needed_word(what)), "it left out",
              "that is what is looked for");
  };
  if (what == Needed::kLink) refuse("--link");
  if (what == Needed::kLink || what == Needed::kLinkToFar) refuse("--link-to-far");
  if (what == Needed::kLink || what == Needed::kLinkToNear) refuse("--link-to-near");
  if (what == Needed::kNearMemory) refuse("--memory");
  if (what == Needed::kFarMemory) refuse("--far-memory");
  if (what == Needed::kFarThroughput) refuse("--far-throughput");
}

Ratio within_of(const Arguments& arguments) {
  const auto text = arguments.value(kWithin);
  if (!text) return Ratio(kOne.count() / 100);
  if (arguments.has(kTime)) bad_value(kWithin.name, "it beside --time", "one of the two");
  constexpr double kMostShare = 1000;
  const auto parsed = parse_ratio(*text);
  const double* share = std::get_if<double>(&parsed);
  if (share == nullptr || !(*share >= 0) || *share > kMostShare) {
    bad_value(kWithin.name, in_quotes(*text), "a share from 0 to 1000, such as 1% or 0.01");
  }
  return Ratio(std::llround(*share * static_cast<double>(kOne.count())));
}

int run_need(const Arguments& arguments) {
  const Needed what = needed_of(arguments);
  check_free(arguments, what);
  const Ratio within = within_of(arguments);
  const auto time_text = arguments.value(kTime);
  const auto time = time_text ? std::optional(duration_of(*time_text, kTime.name)) : std::nullopt;
  Job job = read_job(arguments, Asks::kSchedules);
  const Remarks remarks = job.result.remarks;
  const ComputeOptions compute{.batch = batch_of(job.options, *job.workload.network),
                               .layer_times = job.options.layer_times};
  remark_on(remarks, job.workload.path, stated_times_remark(job.workload, compute));
  remark_on_dtypes(remarks, {&job.workload, 1}, {&job.machine, 1}, job.options);
  const NeedReport report = needs({.workload = job.workload,
                                   .machine = job.machine,
                                   .options = job.options,
                                   .chosen = job.schedules,
                                   .what = what,
                                   .time = time,
                                   .within = within});
  const bool any = std::any_of(report.rows.begin(), report.rows.end(),
                               [](const NeedRow& row) { return row.value.has_value(); });
  finish_result(job.outputs, *job.result.writer,
                job.workload.path + ": " + std::string(needed_word(what)),
                [&](const Writer& writer) { return writer.need(report, job.result.write); });
  return any ? kExitOk : kExitDoesNotFit;
}

}  // namespace

const Command need_command{
    .name = "need",
    .summary = "the smallest link, memory or rate that makes a job as fast as asked",
    .examples =
        "  ooc-paleo need link vgg16 --hardware v100-16gb-pcie3 --batch 256\n"
        "  ooc-paleo need near-memory vgg16 --hardware v100-16gb-pcie3 --batch 256 --within 10% "
        "--schedules in-core,capacity\n"
        "  ooc-paleo need link-to-far vgg16 --hardware v100-16gb-pcie3 --batch 256 --time 1s\n",
    .positionals = {.name = flags::kNetwork.name,
                    .help = flags::kNetwork.help,
                    .completes = flags::kNetwork.completes,
                    .word = "WHAT",
                    .word_help = "what may be more",
                    .word_choices = kNeededWords},
    .flags = kNeedFlags,
    .run = &run_need,
};

}  // namespace ooc
