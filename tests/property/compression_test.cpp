// Can any network, budget or link break a law that plans with compressed tensors must keep? The plan is sound
// for the graph that it is about; near memory stays within the budget, and the smallest one is exact, as is
// every number of tensors; compute and stalls add up; a free link costs nothing but the kernels, which
// are never the network's work; everything fits means nothing added; and the naive simulator agrees.
#include "simulator/schedules/lms_compress.hpp"
#include "simulator/schedules/own_options.hpp"
#include "tests/support/peaks.hpp"
#include "tests/support/plan_laws.hpp"
#include "tests/support/property_cases.hpp"
#include "tests/support/random_networks.hpp"
#include "tests/support/random_options.hpp"
#include "tests/support/test.hpp"
#include "tests/support/waiting_copies.hpp"

namespace ooc::test {
namespace {

struct CompressionCase {
  Workload workload;
  LinkSpec link;
  ScheduleOptions options;
  WaitingRuns* waiting = nullptr;

  [[nodiscard]] PlannedIteration plan(Bytes budget) const {
    const auto elementwise = [](std::int64_t, std::int64_t bytes) {
      return TaskAlternative{.time = Duration(5 + bytes / 4), .workspace = {}};
    };
    const auto costs_of = [&](const Compression& compression) {
      CostTable costs = compressed_costs(compression, workload.costs, elementwise);
      set_link(costs, link);
      return costs;
    };
    return plan_with_compression({.problem = {.graph = workload.graph,
                                              .costs = workload.costs,
                                              .budget = budget,
                                              .options = options},
                                  .costs_of = costs_of});
  }
  [[nodiscard]] Bytes smallest() const { return smallest_of(plan(Bytes(0)).plan); }
};

/// Of the tasks that no network has.
Duration kernels(const Plan& plan, const TrainingGraph& graph, const CostTable& costs) {
  Duration sum;
  for (const Step& step : plan.steps) {
    if (step.kind != StepKind::kCompute) continue;
    const bool added = is_overhead(graph.tasks[static_cast<std::size_t>(step.object)].kind);
    REQUIRE(added == step.recompute);
    if (added) sum += costs[step.alternative].time;
  }
  return sum;
}

/// Of the network's own tasks.
Duration work(const CompressionCase& test) {
  const CostTable& costs = test.workload.costs;
  Duration sum;
  for (std::size_t i = 0; i < test.workload.graph.tasks.size(); ++i) {
    sum += costs[costs.alternative(make_id<TaskId>(i), test.options.algorithms)].time;
  }
  return sum;
}

void check_run(Dice& dice, const CompressionCase& test, const PlannedIteration& made,
               Bytes budget) {
  const Plan& plan = std::get<Plan>(made.plan);
  const TrainingGraph& graph = made.iteration ? *made.iteration->graph : test.workload.graph;
  const CostTable& costs = made.iteration ? made.iteration->costs : test.workload.costs;
  const Timeline timeline = require_run(plan, graph, costs, budget);
  require_categories_add_up(plan, graph, costs, timeline);
  const Duration compute = work(test);
  REQUIRE(timeline.busy == compute);
  const Duration stalls =
      std::accumulate(timeline.stall_totals.begin(), timeline.stall_totals.end(), Duration(0));
  REQUIRE(timeline.busy + stalls == timeline.iteration_time);
  const Duration added = kernels(plan, graph, costs);
  REQUIRE(timeline.stall_totals[static_cast<std::size_t>(StallCause::kRecompute)] == added);
  const bool copies = plan.queues[1].size() + plan.queues[2].size() > 0;
  if (!copies) REQUIRE(timeline.iteration_time == compute + added);
  if (test.options.lms_action == LmsAction::kCompress) REQUIRE_FALSE(copies);
  test.waiting->add(dice, {plan, graph, costs, budget});
  if (!dice.once_in(8)) return;
  require_naive_agrees(plan, graph, costs, budget, timeline);
}

void check_case(Dice& dice, CompressionCase& test) {
  const Bytes smallest = test.smallest();
  const PlannedIteration below = test.plan(smallest - Bytes(1));
  REQUIRE(std::holds_alternative<OutOfMemory>(below.plan));
  REQUIRE(std::get<OutOfMemory>(below.plan).smallest_budget == smallest);
  const Bytes more = smallest + Bytes(dice.number(0, smallest.count() / 2));
  for (const Bytes budget : {smallest, more}) {
    const PlannedIteration made = test.plan(budget);
    REQUIRE(std::holds_alternative<Plan>(made.plan));
    check_run(dice, test, made, budget);
  }
  // The automatic number is one of these, and no other needs less.
  if (test.options.own->max_swaps) return;
  Bytes least(std::numeric_limits<std::int64_t>::max());
  const auto most = static_cast<std::int64_t>(test.workload.graph.tensors.size());
  for (std::int64_t number = 0; number <= most; ++number) {
    test.options.own.change().max_swaps = number;
    least = std::min(least, test.smallest());
  }
  test.options.own.change().max_swaps.reset();
  REQUIRE(least == smallest);
}

TEST_CASE("plans with compressed tensors keep the laws of schedules") {
  static constexpr NetworkForm kForms[] = {NetworkForm::kMixedChain, NetworkForm::kRealChain,
                                           NetworkForm::kGraph, NetworkForm::kSequence};
  WaitingRuns waiting;
  for_each_seed(1'500, [&](std::uint64_t seed) {
    Dice dice(seed);
    CompressionCase test{random_workload(dice, kForms, 1, 12), {}, {}, &waiting};
    INFO(rerun("property_compression", seed));
    INFO(test.workload.text);
    if (test.workload.network->dtype != Dtype::kFloat32) return;
    if (!dice.once_in(4)) test.link = random_link(dice, test.workload);
    test.options = random_options(dice, *find_schedule("lms"));
    test.options.own.change().restore_per_reader = false;  // for what is not compressed
    test.options.lms_action = dice.once_in(2) ? LmsAction::kCompress : LmsAction::kBoth;
    INFO("options ", options_text(*find_schedule("lms"), test.options));
    check_case(dice, test);
  });
  waiting.check_rare(1000);
}

}  // namespace
}  // namespace ooc::test
