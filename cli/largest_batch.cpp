// The largest batch that runs, under every schedule, largest first.
#include "cli/largest_batch.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "cli/job.hpp"
#include "model/base/errors.hpp"
#include "model/network/layer_tree.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/predict/max_batch.hpp"
#include "simulator/predict/stated_times.hpp"

namespace ooc {
namespace {

/// More copies than that take minutes.
constexpr std::int64_t kMaxCopies = 10'000;

std::int64_t copies_of(std::string_view text, std::string_view flag) {
  const std::int64_t copies = parse_batch(text, flag);
  if (copies > kMaxTimes) {
    bad_value(flag, in_quotes(text),
              "at most " + std::to_string(kMaxTimes) + ", the most copies of a repeat");
  }
  return copies;
}

std::int64_t largest_of(const Arguments& arguments, MaxOf of) {
  const bool older = arguments.has(flags::kMaxBatchLimit);
  const std::string_view flag = older ? flags::kMaxBatchLimit.name : flags::kLimit.name;
  if (older && arguments.has(flags::kLimit)) {
    bad_value(flag, "it beside --limit", "one of the two", "they mean the same");
  }
  if (older && of != MaxOf::kBatch) {
    bad_value(flag, "it with --of " + std::string(max_of_word(of)), "--limit");
  }
  const auto limit = arguments.value(flag);
  if (of == MaxOf::kLayers) return limit ? copies_of(*limit, flag) : kMaxCopies;
  const std::int64_t largest = limit ? parse_batch(*limit, flag) : kMaxBatch;
  if (of == MaxOf::kSeq) return largest;
  const int devices = case_options(arguments).devices;
  if (largest < devices) {
    bad_value(flag, std::to_string(largest),
              "at least " + std::to_string(devices) + ", a sample for each of the --devices");
  }
  return largest;
}

std::optional<std::int64_t> step_of(const Arguments& arguments) {
  const auto step = arguments.value(flags::kStep);
  return step ? std::optional(parse_batch(*step, flags::kStep.name)) : std::nullopt;
}

}  // namespace

int run_largest(const Arguments& arguments, MaxOf of) {
  const std::int64_t largest = largest_of(arguments, of);
  const Asks asks = of == MaxOf::kBatch ? Asks::kLargestBatch
                    : of == MaxOf::kSeq ? Asks::kLongestSequence
                                        : Asks::kSchedules;
  Job job = read_job(arguments, asks);
  const auto is_given = [](const SymbolValue& each) { return each.name == "seq"; };
  if (of == MaxOf::kSeq &&
      std::any_of(job.options.symbols.begin(), job.options.symbols.end(), is_given)) {
    bad_value("--symbol", "seq with --of seq", "it left out", "that is what is looked for");
  }
  const Remarks remarks = job.result.remarks;
  remark_on(remarks, job.workload.path, stated_times_remark(job.workload));
  const MaxBatchReport report = max_batches({.workload = job.workload,
                                             .machine = job.machine,
                                             .options = job.options,
                                             .limit = largest,
                                             .of = of,
                                             .step = step_of(arguments)},
                                            job.schedules);
  remark_on_dtypes(remarks, {&job.workload, 1}, {&job.machine, 1}, job.options);
  const bool any_fits = std::any_of(report.rows.begin(), report.rows.end(),
                                    [](const MaxBatchRow& row) { return row.largest > 0; });
  finish_result(job.outputs, *job.result.writer,
                job.workload.path + ": largest " + std::string(max_of_word(of)),
                [&](const Writer& writer) { return writer.max_batch(report, job.result.write); });
  return any_fits ? kExitOk : kExitDoesNotFit;
}

}  // namespace ooc
