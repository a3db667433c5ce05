// Rounds to whole nanoseconds: a device's events are coarser than that.
#include "cli/replay/measured_run.hpp"

#include <cmath>
#include <utility>

namespace ooc {
namespace {

Duration rounded(double ns) { return Duration(std::llround(ns)); }

}  // namespace

MeasuredRun measured_run(const ReplayMeasurement& measurement, const ReplayPlan& plan) {
  MeasuredRun run;
  run.device = find_value(measurement.machine, "device_name").value_or("an unnamed device");
  run.program = measurement.program;
  run.backend = measurement.backend;
  for (const ReplayIteration& each : measurement.iterations) {
    run.iterations.push_back(
        {.time = rounded(each.ns), .issue = rounded(each.issue_ns), .host = rounded(each.host_ns)});
  }
  run.steps.resize(plan.order.size());
  for (std::size_t i = 0; i < plan.order.size(); ++i) {
    const ReplaySpan& each = measurement.spans[i];
    run.steps[plan.order[i].at()] = {.span = {rounded(each.start_ns), rounded(each.end_ns)},
                                     .median = rounded(each.median_ns),
                                     .min = rounded(each.min_ns),
                                     .max = rounded(each.max_ns)};
  }
  run.notes = measurement.notes;
  run.near_pool = Bytes(measurement.near_bytes);
  run.far_pool = Bytes(measurement.far_bytes);
  run.spin_overhead = rounded(measurement.spin_overhead_ns);
  return run;
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

}  // namespace ooc
