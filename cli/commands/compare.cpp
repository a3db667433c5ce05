// `compare`: one network, one machine, every schedule, best first; or several machines, links or presets of state that
// moves, the best schedule of each.
#include "simulator/predict/compare.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/job.hpp"
#include "cli/machine_lists.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/predict/compare_machines.hpp"
#include "simulator/predict/rate_range.hpp"
#include "simulator/predict/stated_times.hpp"

namespace ooc {
extern const Command compare_command;

namespace {

constexpr Flag kPrice{
    .name = "--price",
    .value = "LIST",
    .help =
        "of each machine, in any unit: NAME=10000,NAME=25000, or 10000,25000 in their order; "
        "the table then has samples per second and unit of it"};

constexpr Flag kWide{.name = "--wide",
                     .brief = {},
                     .value = {},
                     .help = "the table also says what memory holds at its peaks"};

const auto kCompareFlags =
    flags::joined(flags::of_runs({"--hardware", "--schedule", "--link", "--state"}),
                  {kPrice, kWide, flags::kFormat, flags::kOutput, flags::kReport, flags::kPlot,
                   flags::kMaxInput, flags::kQuiet, flags::kNoColor});

int compare_schedules(const Arguments& arguments, MachinesJob& job) {
  const Remarks remarks = job.result.remarks;
  const Machine& machine = job.machines.front();
  const Case which = make_case(job.workload, machine, job.options);
  remark_on(remarks, job.workload.path, stated_times_remark(job.workload, which.compute));
  remark_on_dtypes(remarks, {&job.workload, 1}, {&machine, 1}, job.options);
  const Comparison comparison = compare({.which = which, .chosen = job.schedules.front()});
  for (const std::string& text : comparison.left_out) remark(remarks, "remark: without " + text);
  remark_on(remarks, machine.path, ranges_remark(machine.profile, comparison.rows));
  const bool any_fits = std::any_of(comparison.rows.begin(), comparison.rows.end(),
                                    [](const RunReport& report) { return report.feasible; });

  WriteOptions write = job.result.write;
  if (remarks == Remarks::kQuiet) write.chart = Chart::kNone;
  if (arguments.has("--wide")) write.columns = Columns::kWide;
  finish_result(job.outputs, *job.result.writer, job.workload.path + ": schedules",
                [&](const Writer& writer) { return writer.comparison(comparison.rows, write); });
  return any_fits ? kExitOk : kExitDoesNotFit;
}

int compare_several(const Arguments& arguments, const MachineLists& lists, MachinesJob& job) {
  const Remarks remarks = job.result.remarks;
  const Case first = make_case(job.workload, job.machines.front(), job.options);
  remark_on(remarks, job.workload.path, stated_times_remark(job.workload, first.compute));
  remark_on_dtypes(remarks, {&job.workload, 1}, job.machines, job.options);
  const MachinesReport report = compare_machines({.workload = job.workload,
                                                  .machines = job.machines,
                                                  .chosen = job.schedules,
                                                  .links = lists.links,
                                                  .options = job.options,
                                                  .prices = lists.prices,
                                                  .states = lists.states});
  for (std::size_t row = 0; row < report.rows.size(); ++row) {
    const std::size_t each = lists.links.size() * std::max<std::size_t>(1, lists.states.size());
    const Machine& machine = job.machines[row / each];
    for (const std::string& text : report.rows[row].remarks) {
      remark_on(remarks, machine.path, text);
    }
  }
  const bool any_fits = std::any_of(report.rows.begin(), report.rows.end(),
                                    [](const MachineRow& row) { return best_of(row).feasible; });
  WriteOptions write = job.result.write;
  if (arguments.has("--wide")) write.columns = Columns::kWide;
  finish_result(job.outputs, *job.result.writer, job.workload.path + ": machines",
                [&](const Writer& writer) { return writer.machines(report, write); });
  return any_fits ? kExitOk : kExitDoesNotFit;
}

int run_compare(const Arguments& arguments) {
  (void)network_of(arguments);  // the first of the two that is missing is told
  const MachineLists lists = machine_lists(arguments);
  MachinesJob job = read_machines_job(arguments, lists.machines);
  if (!lists.are_one()) return compare_several(arguments, lists, job);
  job.options.transfers.link = lists.links.front();
  return compare_schedules(arguments, job);
}

}  // namespace

const Command compare_command{
    .name = "compare",
    .summary =
        "every schedule for one job, best first; of several machines, links or presets of moving "
        "state the best of each",
    .examples =
        "  ooc-paleo compare vgg16 --hardware v100-16gb-pcie3 --batch 256 --memory 12GiB\n"
        "  ooc-paleo compare resnet50 --hardware v100-16gb-pcie3 --batch 400 "
        "--schedules vdnn-all,vdnn-conv,capacity\n"
        "  ooc-paleo compare resnet50 --hardware v100-16gb-pcie3,a100-40gb-sxm --batch 1024 "
        "--price 3000,9000\n"
        "  ooc-paleo compare llama-3-8b --hardware h100-sxm --seq 8192 --state all\n",
    .positionals = flags::kNetwork,
    .flags = kCompareFlags,
    .run = &run_compare,
};

}  // namespace ooc
