// The largest batch that runs, under every schedule, largest first.
#include "cli/largest_batch.hpp"

#include <algorithm>
#include <string>

#include "cli/job.hpp"
#include "cli/schedule_flags.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/predict/max_batch.hpp"
#include "simulator/predict/stated_times.hpp"

namespace ooc {
namespace {

std::int64_t largest_batch(const Arguments& arguments) {
  const auto limit = arguments.value(flags::kMaxBatchLimit);
  const std::int64_t largest = limit ? parse_batch(*limit, flags::kMaxBatchLimit.name) : kMaxBatch;
  const int devices = case_options(arguments).devices;
  if (largest < devices) {
    bad_value(flags::kMaxBatchLimit.name, std::to_string(largest),
              "at least " + std::to_string(devices) + ", a sample for each of the --devices");
  }
  return largest;
}

}  // namespace

int run_largest_batch(const Arguments& arguments) {
  const std::int64_t largest = largest_batch(arguments);
  Job job = read_job(arguments, Asks::kLargestBatch);
  search_briefly(job.options.schedule);
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

}  // namespace ooc
