// Each run is planned anew, so a schedule may use the better machine differently. A gain can be
// negative: on graphs with skip connections more memory can, rarely, make a schedule slower
// (docs/model.md).
#include "simulator/predict/what_if.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "simulator/predict/moving_plan.hpp"
#include "simulator/predict/scheduled_case.hpp"

namespace ooc {
namespace {

constexpr Ratio kTwo{2 * kOne.count()};

/// Five quarters, without leaving 63 bits.
Bytes quarter_more(Bytes bytes) {
  return Bytes(static_cast<std::int64_t>(
      std::min<Int128>(Int128{bytes.count()} * 5 / 4, Int128{kMaxTotalBytes})));
}

std::optional<Duration> iteration_time_of(const Workload& workload, const Machine& machine,
                                          const CaseOptions& options, const Schedule& schedule) {
  const Case which = make_case(workload, machine, options);
  const CaseRun run = run_case(which, schedule, Bounds::kNone);
  const Timeline* timeline = run.timeline();
  return timeline == nullptr ? std::nullopt : std::optional(timeline->iteration_time);
}

struct Rerun {
  const Workload& workload;
  const Machine& machine;
  const Schedule& schedule;
  const RunReport& report;
  std::vector<WhatIf> results;

  void add(std::string change, const CaseOptions& other) {
    WhatIf result{.change = std::move(change),
                  .iteration_time = iteration_time_of(workload, machine, other, schedule),
                  .gain = 0};
    if (result.iteration_time && report.iteration_time.count() > 0) {
      result.gain = 1 - static_cast<double>(result.iteration_time->count()) /
                            static_cast<double>(report.iteration_time.count());
    }
    results.push_back(std::move(result));
  }
};

}  // namespace

std::vector<WhatIf> what_if(const Workload& workload, const Machine& machine,
                            const CaseOptions& options, const Schedule& schedule,
                            const RunReport& report) {
  Rerun rerun{workload, machine, schedule, report, {}};
  if (!report.feasible) return {};

  CaseOptions link = options;
  link.transfers.link_scale = kTwo;
  rerun.add("link x 2", link);
  CaseOptions memory = options;
  memory.memory = quarter_more(budget_of(options, machine.profile));
  rerun.add("memory x 1.25", memory);
  CaseOptions compute = options;
  compute.compute_scale = Ratio(2 * options.compute_scale.value_or(kOne).count());
  rerun.add("compute x 2", compute);
  if (report.state && report.state->far_updates > 0) {
    const BytesPerSecond rate =
        far_compute_of(machine.profile, options.transfers, options.state, options.far_compute)
            .throughput;
    if (rate != kInfiniteRate) {
      CaseOptions far = options;
      far.far_compute = BytesPerSecond(2 * rate.count());
      rerun.add("far updates x 2", far);
    }
  }
  return std::move(rerun.results);
}

}  // namespace ooc
