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

std::vector<WhatIf> what_if(const Workload& workload, const Machine& machine,
                            const CaseOptions& options, const Schedule& schedule,
                            const RunReport& report) {
  std::vector<WhatIf> results;
  if (!report.feasible) return results;
  const auto add = [&](std::string change, const CaseOptions& better) {
    const Case which = make_case(workload, machine, better);
    const CaseRun run = run_case(which, schedule, BoundEffort::kCut);
    WhatIf result{.change = std::move(change), .iteration_time = {}, .gain = 0};
    if (run.outcome) {
      if (const auto* timeline = std::get_if<Timeline>(&*run.outcome)) {
        result.iteration_time = timeline->iteration_time;
        if (report.iteration_time.count() > 0) {
          result.gain = 1 - static_cast<double>(timeline->iteration_time.count()) /
                                static_cast<double>(report.iteration_time.count());
        }
      }
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
  compute.compute_scale = kTwo;
  add("compute x 2", compute);
  return results;
}

}  // namespace ooc
