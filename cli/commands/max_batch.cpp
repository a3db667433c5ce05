// `max-batch`: the largest batch that runs, under every schedule, largest first.
#include "simulator/predict/max_batch.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/job.hpp"
#include "cli/schedule_flags.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/predict/stated_times.hpp"

namespace ooc {
extern const Command max_batch_command;

namespace {

constexpr Flag kLimit{.name = "--max-batch-limit",
                      .value = "N",
                      .help = "nothing larger is tried; default 2147483648"};

// Not --layer-times: times that were measured belong to one batch.
constexpr auto kOwnFlags = flags::joined(
    std::array{flags::kHardware, flags::kSchedules, flags::kScheduleToo, kLimit, flags::kMemory,
               flags::kFarMemory, flags::kFormat, flags::kOutput, flags::kLink},
    flags::kRun, std::array{flags::kNoColor});
const auto kFlags = flags::with_schedule_flags(kOwnFlags);

std::int64_t largest_batch(const Arguments& arguments) {
  const auto limit = arguments.value(kLimit);
  const std::int64_t largest = limit ? parse_batch(*limit, kLimit.name) : kMaxBatch;
  const int devices = case_options(arguments).devices;
  if (largest < devices) {
    bad_value(kLimit.name, std::to_string(largest),
              "at least " + std::to_string(devices) + ", a sample for each of the --devices");
  }
  return largest;
}

int run_max_batch(const Arguments& arguments) {
  const std::int64_t largest = largest_batch(arguments);
  Job job = read_job(arguments, Asks::kLargestBatch);
  const Remarks remarks = job.result.remarks;
  remark_on(remarks, job.workload.path, stated_times_remark(job.workload));
  const MaxBatchReport report = max_batches(
      {.workload = job.workload, .machine = job.machine, .options = job.options, .limit = largest},
      job.schedules);
  remark_on_dtypes(remarks, {&job.workload, 1}, {&job.machine, 1}, job.options);
  const bool any_fits = std::any_of(report.rows.begin(), report.rows.end(),
                                    [](const MaxBatchRow& row) { return row.batch > 0; });
  job.outputs.result.finish(job.result.writer->max_batch(report, job.result.write));
  return any_fits ? kExitOk : kExitDoesNotFit;
}

}  // namespace

const Command max_batch_command{
    .name = "max-batch",
    .summary = "the largest batch that runs, under every schedule",
    .examples =
        "  ooc-paleo max-batch resnet50 --hardware p100-nvlink1-power8\n"
        "  ooc-paleo max-batch resnet50 --hardware m40 --schedules in-core,capacity "
        "--optimizer momentum\n",
    .positionals = flags::kNetwork,
    .flags = kFlags,
    .run = &run_max_batch,
};

}  // namespace ooc
