// The vDNN schedules that choose algorithms, and vdnn++, by hand.
//
// Four convolutions a b c d on a network input, every tensor 1 GB; every task 2 s, or 1 s with 1 GB of
// workspace. d is last: its input c never moves, nobody reads d. Tasks: a.fw b.fw c.fw d.fw; d, c, b
// backward-data and backward-weights; a backward-weights: 11 in all, 22 s or 11 s.
//
// GB without workspace, data = network input, g(x) the gradient of x:
//
//     in-core       a.fw data a; b.fw + b; c.fw + c; d.fw data a b c d = 5; d.bd, d.bw data a b c g(c) = 5;
//                   c.bd, c.bw data a b g(c) g(b) = 5; b data a g(b) g(a) = 4; a data g(a) = 2
//     vDNN's        a data a = 2; b a b = 2 (a goes out); c b c = 2 (b goes out); d c d = 2;
//     sections      d c g(c), b on its way in = 3; c b g(c) g(b), a on its way in = 4;
//                   b a g(b) g(a), data on its way in = 4; a data g(a) = 2
#include "model/base/errors.hpp"
#include "simulator/plan/plan_text.hpp"
#include "tests/support/plan_laws.hpp"
#include "tests/support/planning_problem.hpp"
#include "tests/support/schedule_example.hpp"
#include "tests/support/test.hpp"
#include "tests/support/tiny_specs.hpp"

namespace ooc::test {
namespace {

constexpr Duration kSecond{1'000'000'000};

BytesPerSecond copy_takes(std::int64_t seconds) { return BytesPerSecond(1'000'000'000 / seconds); }

/// The network with the costs of the head; only convolutions have the fast way, others take 1 s.
Workload priced(const std::string& layers, std::int64_t copy_seconds) {
  Workload workload = workload_of_text(tiny::network(layers), 1);
  CostTable& costs = workload.costs;
  for (Bytes& bytes : costs.tensor_bytes) bytes = kGigabyte;
  costs.static_bytes = Bytes(0);
  costs.alternatives.clear();
  costs.first_alternative.clear();
  for (const Task& task : workload.graph.tasks) {
    costs.first_alternative.push_back(static_cast<std::int32_t>(costs.alternatives.size()));
    const bool update = task.kind == TaskKind::kUpdate;
    const bool conv = workload.network->layers[task.layer.at()].model->is_convolution;
    costs.alternatives.push_back(
        {.algorithm = conv ? Algorithm::kImplicitGemm : Algorithm::kDefault,
         .time = update ? Duration(0) : (conv ? 2 : 1) * kSecond,
         .workspace = Bytes(0)});
    if (update || !conv) continue;
    costs.alternatives.push_back(
        {.algorithm = Algorithm::kWinogradNonfused, .time = kSecond, .workspace = kGigabyte});
  }
  costs.first_alternative.push_back(static_cast<std::int32_t>(costs.alternatives.size()));
  set_link(costs, {.to_far = copy_takes(copy_seconds), .to_near = copy_takes(copy_seconds)});
  return workload;
}

std::string conv(const std::string& name) {
  return R"({"name": ")" + name +
         R"(", "type": "conv", "filters": 2, "kernel": [3, 3], "padding": 1, "bias": false})";
}

Workload four_convolutions(std::int64_t copy_seconds) {
  return priced(conv("a") + "," + conv("b") + "," + conv("c") + "," + conv("d"), copy_seconds);
}

struct DynRan {
  Duration time;
  int fast = 0;  ///< tasks that run their fast way
  int out = 0;   ///< copies out
  int in = 0;
};

PlanResult plan_of(const char* name, const PlanningProblem& problem) {
  const Schedule* schedule = find_schedule(name);
  REQUIRE(schedule != nullptr);
  return schedule->make_plan(problem);
}

DynRan dyn_run(const char* name, const Workload& workload, Bytes budget,
               const ScheduleOptions& options = {}) {
  const PlanResult result = plan_of(name, problem_of(workload, budget, options));
  REQUIRE(std::holds_alternative<Plan>(result));
  const Plan& plan = std::get<Plan>(result);
  DynRan ran{.time = require_run(plan, workload.graph, workload.costs, budget).iteration_time};
  for (const Step& step : plan.steps) {
    if (step.kind == StepKind::kCompute) {
      ran.fast += workload.costs[step.alternative].workspace == kGigabyte ? 1 : 0;
    } else {
      (step.kind == StepKind::kToFar ? ran.out : ran.in) += 1;
    }
  }
  return ran;
}

Bytes smallest(const char* name, const Workload& workload) {
  return smallest_of(plan_of(name, problem_of(workload, Bytes(1))));
}

TEST_CASE("--algorithms performance runs vdnn-all with the fastest ways, in one workspace more") {
  const Workload workload = four_convolutions(1);
  // Every section holds the copies: 4 tasks forward, then 2, 2, 2, 1: 22 s or 11 s.
  CHECK(dyn_run("vdnn-all", workload, 4 * kGigabyte).time == 22 * kSecond);
  ScheduleOptions fastest;
  fastest.algorithms = AlgorithmChoice::kPerformance;
  const DynRan ran = dyn_run("vdnn-all", workload, 5 * kGigabyte, fastest);
  CHECK(ran.time == 11 * kSecond);
  CHECK(ran.fast == 11);
  const PlanResult small = plan_of("vdnn-all", problem_of(workload, 4 * kGigabyte, fastest));
  REQUIRE(std::holds_alternative<OutOfMemory>(small));
  CHECK(std::get<OutOfMemory>(small).smallest_budget == 5 * kGigabyte);
}

TEST_CASE("vdnn-dyn takes the first candidate that fits") {
  const Workload workload = four_convolutions(2);
  // Nothing moves, all fast: in-core's 5 GB + 1.
  const DynRan in_core = dyn_run("vdnn-dyn", workload, 6 * kGigabyte);
  CHECK(in_core.time == 11 * kSecond);
  CHECK(in_core.in == 0);
  // All fast: sections' 4 GB + 1. A copy takes 2 s: 1 + 2 + 2 + 1 forward, 2 + 2 + 2 + 1 backward.
  const DynRan fast = dyn_run("vdnn-dyn", workload, 5 * kGigabyte);
  CHECK(fast.time == 13 * kSecond);
  CHECK(fast.fast == 11);
  CHECK(fast.out == 2);
  CHECK(fast.in == 3);
  // Greedy: the sections of c and b have no room, 4 s each: 1 + 2 + 2 + 1 + 2 + 4 + 4 + 1.
  const DynRan greedy = dyn_run("vdnn-dyn", workload, 4 * kGigabyte);
  CHECK(greedy.time == 17 * kSecond);
  CHECK(greedy.fast == 7);
  CHECK(smallest("vdnn-dyn", workload) == 4 * kGigabyte);
}

// A pool p after a: vdnn-all moves its input a too, vdnn-conv keeps it.
//     conv   a 2, p 2, b a p b = 3, c a b c = 3 | c a b g(b), p coming = 4; b a p g(b) g(p), data coming = 5;
//            p a p g(p) g(a) data = 5; a 2: with workspaces (not p's) 6 GB
//     all    a 2, p 2, b 2, c 2 | c b g(b), p coming = 3; b p g(b) g(p), a coming = 4;
//            p a p g(p) g(a), data coming = 5; a 2: with workspaces 5 GB
TEST_CASE("vdnn-dyn's order is a belief, and --trials time asks") {
  const std::string pool = R"(,{"name": "p", "type": "max_pool", "kernel": [2, 2], "stride": 1},)";
  const Workload workload = priced(conv("a") + pool + conv("b") + "," + conv("c"), 4);
  // In order all + fastest: 1 + 4 + 4 + 1 (p beside a's copy, b beside p's), 4 + 4 + 4 + 1.
  const DynRan ordered = dyn_run("vdnn-dyn", workload, 5 * kGigabyte);
  CHECK(ordered.time == 23 * kSecond);
  CHECK(ordered.out == 2);
  // conv + greedy: 1 + 1 + 4 + 1, c 4 (p comes in), b slow: 4 (data comes in), p 1, a 1.
  ScheduleOptions by_time;
  by_time.trials = Trials::kTime;
  const DynRan timed = dyn_run("vdnn-dyn", workload, 5 * kGigabyte, by_time);
  CHECK(timed.time == 17 * kSecond);
  CHECK(timed.out == 1);
}

// Prefixes of data, a, b, in GB: nothing moved 5; data moved: d.fw a b c d = 4, c a b g(c) g(b) = 4,
// b a g(b) g(a), data coming = 4; longer ones 4 as well. With Winograd everywhere one more.
TEST_CASE("vdnn-prefix moves as few layers as fit and keeps the faster algorithm") {
  const auto prefix = [](std::int64_t copy_seconds, std::int64_t gigabytes) {
    return dyn_run("vdnn-prefix", four_convolutions(copy_seconds), gigabytes * kGigabyte);
  };
  const DynRan all = prefix(4, 6);
  CHECK(all.time == 11 * kSecond);  // Winograd with nothing moved
  CHECK(all.in == 0);
  // 5 GB: nothing moved without workspace is 22 s; the data moved, Winograd: it is dropped, and comes
  // back beside b's backward (4 s instead of 2): 13 s.
  const DynRan data = prefix(4, 5);
  CHECK(data.time == 13 * kSecond);
  CHECK(data.out == 0);
  CHECK(data.in == 1);
  // A copy of 16 s costs 14 s there: 25 s, so nothing moves.
  const DynRan none = prefix(16, 5);
  CHECK(none.time == 22 * kSecond);
  CHECK(none.in == 0);
  const DynRan slow = prefix(4, 4);  // hidden behind b's 4 s
  CHECK(slow.time == 22 * kSecond);
  CHECK(slow.in == 1);
  CHECK(smallest("vdnn-prefix", four_convolutions(4)) == 4 * kGigabyte);
}

/// a, b, c, d of docs/formats.md, 6: 1 GB each, 50 ms forward, 100 ms backward, a copy takes 100 ms.
Workload dyn_example() {
  Workload workload =
      workload_of_file(std::string(OOC_SOURCE_DIR) + "/tests/data/worked_example.json", 1);
  const BytesPerSecond rate{10'000'000'000};
  set_link(workload.costs, {.to_far = rate, .to_near = rate});
  return workload;
}

TEST_CASE("vdnn++ waits for copies out at the turn only: 650 ms for the worked example") {
  const Workload workload = dyn_example();
  const Bytes budget = 5 * kGigabyte;
  const PlanResult result = plan_of("vdnn++", problem_of(workload, budget));
  REQUIRE(std::holds_alternative<Plan>(result));
  const Plan& plan = std::get<Plan>(result);
  const Outcome outcome = simulate({.plan = plan, .costs = workload.costs, .budget = budget});
  REQUIRE(std::holds_alternative<Timeline>(outcome));
  const Timeline& timeline = std::get<Timeline>(outcome);
  // Forward ends at 200; a goes out 50 to 150, b 150 to 250: d's backward starts at 250, then 4 x 100.
  CHECK(timeline.iteration_time == Duration(650'000'000));
  const auto start_ms = [&](const std::string& name) {
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      if (step_name(plan, workload.graph, make_id<StepId>(i)) == name) {
        return timeline.spans[i].start.count() / 1'000'000;
      }
    }
    FAIL("no step " << name);
    return std::int64_t{0};
  };
  CHECK(start_ms("to_far a") == 50);
  CHECK(start_ms("d.forward") == 150);
  CHECK(start_ms("to_far b") == 150);
  CHECK(start_ms("d.backward") == 250);
  CHECK(start_ms("to_near b") == 250);
  CHECK(start_ms("to_near a") == 350);
  // c.backward: c, g(c), g(b), b and a on its way in.
  CHECK(smallest("vdnn++", workload) == 5 * kGigabyte);
}

TEST_CASE("--far-compression counts far memory down, takes factors from 1 to 1000") {
  const Workload workload = dyn_example();
  const auto compressed = [&](Ratio ratio) {
    ScheduleOptions options;
    options.far_compression = ratio;
    return plan_of("vdnn++", problem_of(workload, 5 * kGigabyte, options));
  };
  const Plan plan = std::get<Plan>(compressed(Ratio(2'500'000'000)));
  CHECK(plan.far_bytes(Bytes(1'000'000'000)) == Bytes(400'000'000));
  CHECK(plan.far_bytes(Bytes(1)) == Bytes(1));  // rounded up
  for (const std::int64_t wrong : {std::int64_t{999'999'999}, std::int64_t{1'000'000'000'001}}) {
    CHECK_THROWS_AS(static_cast<void>(compressed(Ratio(wrong))), SpecError);
  }
}

}  // namespace
}  // namespace ooc::test
