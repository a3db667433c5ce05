// How many plans a second does best try, and how long does its usual answer take? ResNet-152 at half of what it needs
// in core, on a V100 whose link is the bottleneck.
#include <stdexcept>

#include "cli/job.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/schedules/mix_search.hpp"
#include "tests/bench/benchmark.hpp"
#include "tests/support/planning_problem.hpp"

namespace ooc {

namespace {

using namespace bench;

constexpr std::int64_t kPlans = 3000;
constexpr double kLeastPlansPerSecond = 6000;
constexpr double kMostMs = 2500;

void run(Report& report) {
  CaseOptions options;
  options.batch = 256;
  const Workload workload = load_workload("resnet152", "NETWORK", options);
  const Machine machine = load_hardware("v100-16gb-pcie3", "--hardware", options);
  const Case all = make_case(workload, machine, options);
  options.memory = Bytes(all.in_core_peak.count() / 2);
  const Case half = make_case(workload, machine, options);

  SimulationBuffers buffers;
  PlanningProblem problem{workload.graph, half.costs, half.budget};
  problem.evaluate = [&](const Plan& plan) {
    if (simulate({.plan = plan, .costs = half.costs, .budget = half.budget}, buffers)) {
      return Trial{};
    }
    return Trial{buffers.timeline.iteration_time, &plan, &buffers.timeline};
  };
  const MixFacts facts(problem, MixFacts::Algorithms::kAll, MixFacts::Idle::kWorthwhile);
  std::int64_t tried = 0;
  const double search_ns = cpu_ns([&] {
    MixSearch search(facts, {.plans = kPlans});
    search.run();
    tried = search.tried();
    if (search.best_time() == MixSearch::kNever) throw std::runtime_error("some plan runs");
    consume(&search);
  });
  report.add("ResNet-152, plans tried", static_cast<double>(tried) * 1e9 / search_ns, "1/s",
             at_least(kLeastPlansPerSecond));
  const Schedule& best = *find_schedule("best");
  const double plan_ns = cpu_ns([&] {
    const PlanResult made = best.make_plan(problem);
    consume(&made);
  });
  report.add("ResNet-152, the usual answer", plan_ns / 1e6, "ms", at_most(kMostMs));
}

}  // namespace

extern const Benchmark search_benchmark{"search", "how quick is the search for the best plan?",
                                        &run};

}  // namespace ooc
