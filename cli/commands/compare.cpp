// `compare`: one network, one machine, every schedule, best first; or several machines, links or presets of state that
// moves, the best schedule of each.
#include "simulator/predict/compare.hpp"

#include <algorithm>
#include <string>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/job.hpp"
#include "reports/writers/rows.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/predict/remarks.hpp"

namespace ooc {
namespace {

const auto kCompareFlags =
    flags::joined(flags::of_runs({"--hardware", "--schedule", "--link", "--state"}),
                  {flags::kFormat, flags::kOutput, flags::kReport, flags::kMaxInput, flags::kQuiet,
                   flags::kNoColor});

int run_compare(const Arguments& arguments) {
  (void)network_of(arguments);  // the first of the two that is missing is told
  const MachineLists lists = machine_lists(arguments);
  Job job = read_job(arguments, Asks::kRuns, lists.machines);
  const Remarks remarks = job.result.remarks;
  CaseOptions first = job.options;
  if (lists.are_one()) first.transfers.link = lists.links.front();
  const Case which = make_case(job.workload, job.machine(), first);
  remark_on(remarks, job.workload.path, stated_times_remark(job.workload, which.compute));
  remark_on_dtypes(remarks, {&job.workload, 1}, job.machines, job.options);
  const MachinesReport report = compare_machines({.workload = job.workload,
                                                  .machines = job.machines,
                                                  .chosen = job.chosen,
                                                  .links = lists.links,
                                                  .options = job.options,
                                                  .states = lists.states});
  for (std::size_t row = 0; row < report.rows.size(); ++row) {
    const std::size_t each = lists.links.size() * std::max<std::size_t>(1, lists.states.size());
    const Machine& machine = job.machines[row / each];
    for (const std::string& text : report.rows[row].remarks) {
      remark_on(remarks, machine.path, text);
    }
  }
  const WriteOptions& write = job.result.write;
  const bool one = lists.are_one();
  const ResultRows rows =
      one ? comparison_rows(report.rows.front().results, write) : machine_rows(report);
  finish_result(job.outputs, *job.result.writer,
                job.workload.path + (one ? ": schedules" : ": machines"),
                [&](const Writer& writer) { return writer.rows(rows, write); });
  const bool any_fits =
      std::ranges::any_of(report.rows, [](const MachineRow& row) { return best_of(row).feasible; });
  return any_fits ? kExitOk : kExitDoesNotFit;
}

}  // namespace

extern const Command compare_command{
    .name = "compare",
    .summary =
        "every schedule for one job, best first; of several machines, links or presets of moving "
        "state the best of each",
    .examples =
        "  ooc-paleo compare vgg16 --hardware v100-16gb-pcie3 --batch 256 --memory 12GiB\n"
        "  ooc-paleo compare resnet50 --hardware v100-16gb-pcie3 --batch 400 "
        "--schedules vdnn-all,vdnn-conv,capacity\n"
        "  ooc-paleo compare resnet50 --hardware v100-16gb-pcie3,a100-40gb-sxm --batch 1024\n"
        "  ooc-paleo compare llama-3-8b --hardware h100-sxm --seq 8192 --state all\n",
    .positionals = flags::kNetwork,
    .flags = kCompareFlags,
    .run = &run_compare,
};

}  // namespace ooc
