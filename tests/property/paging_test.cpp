// Can any network, budget, size of parts or price of faults break a law of the schedules that move pages?
// The plan of the parts, and of slices of tasks that would not fit whole, validates and never blocks; memory
// stays within the budget; the smallest budget is the largest task's whatever the parts are, and exact; what fits in-core runs in its time; bounds hold;
// the naive simulator agrees; all waiting is for pages; and what leaves is what came first. And do groups of faults
// begin where a driver would see them begin that counts the pages of every subtree?
#include "model/cost/transfer_cost.hpp"
#include "model/rewrite/parts.hpp"
#include "simulator/plan/bounds.hpp"
#include "tests/support/all_bounds.hpp"
#include "tests/support/peaks.hpp"
#include "tests/support/plan_laws.hpp"
#include "tests/support/planning_problem.hpp"
#include "tests/support/property_cases.hpp"
#include "tests/support/random_networks.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

constexpr std::size_t kPagingMostNaiveSteps = 600;

void set_prices(Dice& dice, CostTable& costs, const LinkSpec& link) {
  set_link(costs, link);
  if (dice.once_in(2)) return;
  costs.transfers.faults = costs.transfers.to_near;
  const std::int64_t fault = dice.number(0, 5000);
  for (TransferCost& cost : costs.transfers.faults) {
    cost.latency += Duration(fault);
    cost.alone += Duration(fault);
  }
}

bool is_near_after(const Plan& plan, BlockId block, StepId step) {
  const auto releasers = plan.releasers[block];
  return std::all_of(releasers.begin(), releasers.end(), [&](StepId each) { return each > step; });
}

/// Blocks are numbered as they arrive. Where one is copied out for a task, all tensors that came before it and are
/// still near are the task's.
void check_order(const Plan& plan, const TrainingGraph& graph) {
  TaskId task;
  for (std::size_t i = plan.steps.size(); i-- > 0;) {
    const StepId copy = make_id<StepId>(i);
    if (plan.steps[i].kind == StepKind::kCompute) task = TaskId{plan.steps[i].object};
    if (plan.steps[i].kind != StepKind::kToFar) continue;
    const BlockId victim = *plan.releases[copy].begin();
    for (std::size_t b = 0; b < victim.at(); ++b) {
      const Block& older = plan.blocks[b];
      if (older.kind != BlockKind::kTensor || !is_near_after(plan, make_id<BlockId>(b), copy)) {
        continue;
      }
      const auto has = [&](const auto& row) {
        return std::find(row.begin(), row.end(), TensorId{older.object}) != row.end();
      };
      REQUIRE((has(graph.reads[task]) || has(graph.writes[task])));
    }
  }
}

void check(Dice& dice, const Workload& parts, const Schedule& schedule, Bytes budget,
           Bytes in_core) {
  const PlanResult made = schedule.make_plan(problem_of(parts, budget));
  REQUIRE(std::holds_alternative<Plan>(made));
  const Plan& plan = std::get<Plan>(made);
  const Timeline timeline = require_run(plan, parts.graph, parts.costs, budget);
  require_categories_add_up(plan, parts.graph, parts.costs, timeline);
  if (budget >= in_core) {
    REQUIRE(timeline.iteration_time == compute_time(parts.costs, parts.graph));
    REQUIRE(plan.steps.size() == parts.graph.tasks.size());
  }
  const auto bounds = all_bounds(parts.graph, parts.costs, budget);
  REQUIRE(bounds.has_value());
  REQUIRE(bounds->best() <= timeline.iteration_time);
  if (schedule.name == "unified") {
    const auto fault = static_cast<std::size_t>(StallCause::kFault);
    REQUIRE(timeline.busy + timeline.stall_totals[fault] == timeline.iteration_time);
    if (plan.steps.size() <= kPagingMostNaiveSteps) check_order(plan, parts.graph);
  }
  if (plan.steps.size() > kPagingMostNaiveSteps || !dice.once_in(4)) return;
  require_naive_agrees(plan, parts.graph, parts.costs, budget, timeline);
}

Bytes smallest_budget(const Workload& workload, const Schedule& schedule) {
  return smallest_of(schedule.make_plan(problem_of(workload, Bytes(0))));
}

/// Into slices that fit some memory in which each task does in some number of them.
void slice(Dice& dice, const Workload& whole, Parts& parts) {
  std::vector<AlternativeId> ways;
  for (const std::int32_t way : whole.costs.first_alternative) ways.push_back({way});
  Bytes least;
  for (std::size_t i = 0; i < whole.graph.tasks.size(); ++i) {
    const SliceNeed need = least_need(whole.graph, whole.costs, parts, make_id<TaskId>(i), ways[i]);
    least = std::max(least, need.bytes);
  }
  const Bytes available(dice.number(least.count(), 2 * least.count()));
  slice_tasks(parts, whole.graph, whole.costs, ways, available);
  const TrainingGraph graph = cut_graph(whole.graph, parts);
  const CostTable costs = cut_costs(whole.costs, parts);
  REQUIRE(smallest_task_budget(graph, costs) <= available + costs.static_bytes);
  REQUIRE(compute_time(costs, graph) == compute_time(whole.costs, whole.graph));
}

TEST_CASE("paging keeps its laws whatever is cut into whatever parts") {
  static constexpr NetworkForm kForms[] = {NetworkForm::kMixedChain, NetworkForm::kRealChain,
                                           NetworkForm::kGraph, NetworkForm::kSequence};
  for_each_seed(2'000, [&](std::uint64_t seed) {
    Dice dice(seed);
    const NetworkForm form = kForms[dice.index(std::size(kForms))];
    Workload whole = random_workload(dice, form, dice.number(1, 12));
    const LinkSpec link = random_link(dice, whole);
    set_link(whole.costs, link);
    INFO(rerun("property_paging", seed));
    INFO(whole.text);
    const Bytes largest =
        *std::max_element(whole.costs.tensor_bytes.begin(), whole.costs.tensor_bytes.end());
    Parts parts =
        cut_tensors(whole.costs.tensor_bytes, Bytes(largest.count() / dice.number(1, 9) + 1));
    const bool sliced = dice.once_in(2);
    if (sliced) slice(dice, whole, parts);
    Workload cut{.text = whole.text,
                 .network = nullptr,
                 .graph = cut_graph(whole.graph, parts),
                 .costs = cut_costs(whole.costs, parts)};
    set_prices(dice, cut.costs, link);
    const Bytes in_core = smallest_budget(whole, *find_schedule("in-core"));
    for (const Schedule* schedule : schedules()) {
      if (!schedule->is(Trait::kMovesPages)) continue;
      INFO("schedule ", schedule->name);
      const Bytes smallest = smallest_budget(cut, *schedule);
      REQUIRE(smallest == smallest_task_budget(cut.graph, cut.costs));
      if (!sliced) REQUIRE(smallest == smallest_task_budget(whole.graph, whole.costs));
      const PlanResult less = schedule->make_plan(problem_of(cut, smallest - Bytes(1)));
      REQUIRE(std::holds_alternative<OutOfMemory>(less));
      check(dice, cut, *schedule, smallest, in_core);
      const std::int64_t highest = std::max(smallest, in_core).count() * 9 / 8 + 2;
      check(dice, cut, *schedule, Bytes(dice.number(smallest.count(), highest)), in_core);
    }
  });
}

/// As the driver has it: a bit for each page, and the subtrees around a fault counted page by page.
std::vector<Bytes> counted_starts(std::int64_t page, std::size_t pages) {
  std::vector<bool> near(pages, false);
  std::vector<Bytes> starts;
  for (std::size_t at = 0; at < pages; ++at) {
    if (near[at]) continue;
    starts.emplace_back(static_cast<std::int64_t>(at) * page);
    near[at] = true;
    std::size_t best = 1;
    for (std::size_t size = 2; size <= pages; size *= 2) {
      const auto begin = near.begin() + static_cast<std::ptrdiff_t>(at / size * size);
      const auto count = std::count(begin, begin + static_cast<std::ptrdiff_t>(size), true);
      if (static_cast<std::size_t>(count) * 100 > size * 51) best = size;
    }
    const auto begin = near.begin() + static_cast<std::ptrdiff_t>(at / best * best);
    std::fill(begin, begin + static_cast<std::ptrdiff_t>(best), true);
  }
  return starts;
}

TEST_CASE("groups of faults begin where pages of subtrees are counted one by one") {
  for (std::size_t pages = 1; pages <= 4096; pages *= 2) {
    CAPTURE(pages);
    for (const std::int64_t page : {1, 4096, 65'536}) {
      const Bytes block(page * static_cast<std::int64_t>(pages));
      CHECK(fault_group_starts(Bytes(page), block) == counted_starts(page, pages));
    }
  }
}

}  // namespace
}  // namespace ooc::test
