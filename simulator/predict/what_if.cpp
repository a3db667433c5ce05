// Each run is planned anew, so a schedule may use the better machine differently. A gain can be
// negative: on graphs with skip connections more memory can, rarely, make a schedule slower
// (docs/model.md).
#include "simulator/predict/what_if.hpp"

#include <algorithm>
#include <utility>

namespace ooc {
namespace {

constexpr Ratio kTwo{2 * kOne.count()};

/// Five quarters, without leaving 63 bits.
Bytes quarter_more(Bytes bytes) {
  return Bytes(static_cast<std::int64_t>(
      std::min<Int128>(Int128{bytes.count()} * 5 / 4, Int128{kMaxTotalBytes})));
}

}  // namespace

std::optional<Duration> iteration_time_of(const Workload& workload, const Machine& machine,
                                          const CaseOptions& options, const Schedule& schedule) {
  const Case which = make_case(workload, machine, options);
  const CaseRun run = run_case(which, schedule, BoundEffort::kCut);
  const Timeline* timeline = run.outcome ? std::get_if<Timeline>(&*run.outcome) : nullptr;
  return timeline == nullptr ? std::nullopt : std::optional(timeline->iteration_time);
}

std::vector<WhatIf> what_if(const Workload& workload, const Machine& machine,
                            const CaseOptions& options, const Schedule& schedule,
                            const RunReport& report) {
  std::vector<WhatIf> results;
  if (!report.feasible) return results;
  const auto add = [&](std::string change, const CaseOptions& better) {
    WhatIf result{.change = std::move(change),
                  .iteration_time = iteration_time_of(workload, machine, better, schedule),
                  .gain = 0};
    if (result.iteration_time && report.iteration_time.count() > 0) {
      result.gain = 1 - static_cast<double>(result.iteration_time->count()) /
                            static_cast<double>(report.iteration_time.count());
    }
    results.push_back(std::move(result));
  };

  CaseOptions link = options;
  link.transfers.link_scale = kTwo;
  add("link x 2", link);
  CaseOptions memory = options;
  memory.memory = quarter_more(budget_of(options, machine.profile));
  add("memory x 1.25", memory);
  CaseOptions compute = options;
  compute.compute_scale = Ratio(2 * options.compute_scale.value_or(kOne).count());
  add("compute x 2", compute);
  return results;
}

}  // namespace ooc
