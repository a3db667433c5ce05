#include "tests/support/waiting_copies.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "simulator/plan/wait_as_framework.hpp"
#include "tests/support/plan_laws.hpp"
#include "tests/support/property_cases.hpp"

namespace ooc::test {
namespace {

constexpr std::size_t kMostNaiveSteps = 800;

void check_naive(const PlannedRun& run, const Timeline& timeline) {
  const NaiveResult naive =
      require_naive_agrees(run.plan, run.graph, run.costs, run.budget, timeline);
  for (std::size_t i = 0; i < timeline.spans.size(); ++i) {
    REQUIRE(naive.spans[i].start == timeline.spans[i].start.count());
    REQUIRE(naive.spans[i].end == timeline.spans[i].end.count());
  }
}

}  // namespace

Duration run_waiting(const PlannedRun& planned, const CopyRules& rules, bool naive) {
  const Plan plan = wait_as_framework(planned.plan, rules);
  INFO("copy_streams ", static_cast<int>(rules.streams));
  const Timeline timeline = require_run(plan, planned.graph, planned.costs, planned.budget);
  REQUIRE(timeline.peak_near <= planned.budget);
  REQUIRE(planned.bound <= timeline.iteration_time);
  const Duration stalls =
      std::accumulate(timeline.stall_totals.begin(), timeline.stall_totals.end(), Duration(0));
  REQUIRE(timeline.busy + stalls == timeline.iteration_time);
  if (naive && plan.steps.size() <= kMostNaiveSteps) {
    check_naive({plan, planned.graph, planned.costs, planned.budget}, timeline);
  }
  return timeline.iteration_time;
}

void WaitingRuns::add(Dice& dice, const PlannedRun& planned) {
  const bool naive = dice.once_in(16);
  CostTable pinning;
  if (dice.once_in(4)) {
    pinning = planned.costs;
    set_pinning(pinning, Duration(dice.magnitude(1, 100'000)));
  }
  const CostTable& costs = pinning.alternatives.empty() ? planned.costs : pinning;
  const std::int64_t outs = dice.once_in(4) ? dice.number(1, 3) : 0;
  Duration before;
  for (const CopyStreams streams :
       {CopyStreams::kOverlap, CopyStreams::kFramework, CopyStreams::kSerial}) {
    const CopyRules rules{
        .streams = streams, .pinned_cost = costs.transfers.pinning, .outs_in_flight = outs};
    const Duration time = run_waiting(
        {planned.plan, planned.graph, costs, planned.budget, planned.bound}, rules, naive);
    if (streams != CopyStreams::kOverlap) ++pairs_;
    if (time < before) ++quicker_;
    before = time;
  }
}

void WaitingRuns::check_rare(std::uint64_t times) const {
  INFO(quicker_, " of ", pairs_, " pairs of runs are quicker with copies that wait for more");
  // Fewer cases than usual are too few to count a rare thing.
  constexpr std::uint64_t kEnough = 300;
  if (case_count(kEnough) < kEnough) return;
  CHECK(quicker_ <= pairs_ / times + 1);
}

}  // namespace ooc::test
