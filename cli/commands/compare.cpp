// `compare`: one network, one machine, every schedule, best first.
#include "simulator/predict/compare.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/job.hpp"
#include "cli/schedule_flags.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/predict/rate_range.hpp"
#include "simulator/predict/stated_times.hpp"

namespace ooc {
extern const Command compare_command;

namespace {

constexpr Flag kWide{.name = "--wide",
                     .brief = {},
                     .value = {},
                     .help = "the table also says what memory holds at its peaks"};

constexpr auto kOwnFlags =
    flags::joined(std::array{flags::kHardware, flags::kBatch, flags::kSchedules,
                             flags::kScheduleToo, flags::kMemory, flags::kFarMemory, flags::kFormat,
                             flags::kOutput, flags::kLayerTimes, flags::kLink, kWide},
                  flags::kRun, std::array{flags::kNoColor});
const auto kFlags = flags::with_schedule_flags(kOwnFlags);

int run_compare(const Arguments& arguments) {
  Job job = read_job(arguments, Asks::kSchedules);
  const Remarks remarks = job.result.remarks;
  const Case which = make_case(job.workload, job.machine, job.options);
  remark_on(remarks, job.workload.path, stated_times_remark(job.workload, which.compute));
  remark_on_dtypes(remarks, {&job.workload, 1}, {&job.machine, 1}, job.options);
  const Comparison comparison =
      compare({.which = which,
               .chosen = job.schedules,
               .algorithms = arguments.has("--algorithms") ? CompareAlgorithms::kAsGiven
                                                           : CompareAlgorithms::kBestOfAll});
  for (const std::string& text : comparison.left_out) remark(remarks, "remark: without " + text);
  remark_on(remarks, job.machine.path, ranges_remark(job.machine.profile, comparison.rows));
  const bool any_fits = std::any_of(comparison.rows.begin(), comparison.rows.end(),
                                    [](const RunReport& report) { return report.feasible; });

  WriteOptions write = job.result.write;
  if (remarks == Remarks::kQuiet) write.chart = Chart::kNone;
  if (arguments.has("--wide")) write.columns = Columns::kWide;
  job.outputs.result.finish(job.result.writer->comparison(comparison.rows, write));
  return any_fits ? kExitOk : kExitDoesNotFit;
}

}  // namespace

const Command compare_command{
    .name = "compare",
    .summary = "every schedule for one job, best first",
    .examples =
        "  ooc-paleo compare vgg16 --hardware v100-16gb-pcie3 --batch 256 --memory 12GiB\n"
        "  ooc-paleo compare resnet50 --hardware v100-16gb-pcie3 --batch 400 "
        "--schedules vdnn-all,vdnn-conv,capacity\n",
    .positionals = flags::kNetwork,
    .flags = kFlags,
    .run = &run_compare,
};

}  // namespace ooc
