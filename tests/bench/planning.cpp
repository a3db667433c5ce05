// How long schedules plan: chains of custom layers in half the memory that nothing moving would take, so
// that copies are decided on all the time; for the schedule that tries candidates, chains of convolutions
// in little more than it needs, so that the first ones do not fit.
#include <fmt/core.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/cost/compute_cost.hpp"
#include "model/graph/build_training_graph.hpp"
#include "model/network/network_json.hpp"
#include "simulator/schedules/lms_compress.hpp"
#include "simulator/schedules/schedule.hpp"
#include "tests/bench/benchmark.hpp"
#include "tests/support/planning_problem.hpp"
#include "tests/support/random_networks.hpp"

namespace ooc {

namespace {

using namespace bench;

constexpr std::array<std::size_t, 3> kLayers{1'000, 3'162, 10'000};
constexpr double kMostMs = 5;

/// Layers of four sizes and times, 1 to 4 MB and 1 to 4 ms forward.
std::string chain(std::size_t layers) {
  std::string text =
      R"({"format": "ooc-paleo/network", "version": 1, "name": "chain", "source": "a benchmark",
"inputs": [{"name": "data", "shape": [1000000]}], "layers": [)";
  for (std::size_t i = 0; i < layers; ++i) {
    const std::size_t size = i * 7 % 4 + 1;
    const std::size_t time = i * 5 % 4 + 1;
    text += fmt::format(
        R"({}{{"name": "l{}", "type": "custom", "output_shape": [{}], "forward_time": "{} ms", "backward_time": "{} ms", "saves": "input"}})",
        i == 0 ? "" : ",\n", i, size * 250'000, time, 2 * time);
  }
  return text + "]}";
}

/// Convolutions, each with several algorithms, and activations between them.
std::string convolutions(std::size_t layers) {
  std::string text =
      R"({"format": "ooc-paleo/network", "version": 1, "name": "chain", "source": "a benchmark",
"inputs": [{"name": "data", "shape": [8, 16, 16]}], "layers": [)";
  for (std::size_t i = 0; i < layers; ++i) {
    const char* kind =
        i % 2 == 0 ? R"("conv", "filters": 8, "kernel": [3, 3], "padding": 1)" : R"("gelu")";
    text += fmt::format(R"({}{{"name": "l{}", "type": {}}})", i == 0 ? "" : ",\n", i, kind);
  }
  return text + "]}";
}

std::int64_t least_of(const test::Workload& workload, const char* schedule) {
  const auto none = find_schedule(schedule)->make_plan({workload.graph, workload.costs, Bytes(0)});
  return std::get<OutOfMemory>(none).smallest_budget->count();
}

Bytes half_of_all(const test::Workload& workload, const char*) {
  return Bytes(least_of(workload, "in-core") / 2);
}

Bytes a_tenth_more_than_least(const test::Workload& workload, const char* schedule) {
  return Bytes(least_of(workload, schedule) / 10 * 11);
}

struct Job {
  const char* schedule;
  std::string (*network)(std::size_t layers);
  Bytes (*budget)(const test::Workload& workload, const char* schedule);
};

constexpr std::array kJobs{Job{"vdnn-dyn", &convolutions, &a_tenth_more_than_least},
                           Job{"unified", &chain, &half_of_all},
                           Job{"unified-prefetch", &chain, &half_of_all},
                           Job{"modnn", &chain, &half_of_all},
                           Job{"lms", &chain, &half_of_all},
                           Job{"recompute", &convolutions, &a_tenth_more_than_least},
                           Job{"superneurons", &convolutions, &a_tenth_more_than_least}};

/// What is timed: plans the problem; the result is the plan.
using Planner = PlanResult (*)(const Schedule& schedule, const PlanningProblem& problem);

PlanResult plan_as_it_is(const Schedule& schedule, const PlanningProblem& problem) {
  return schedule.make_plan(problem);
}

PlanResult plan_compressing(const Schedule&, const PlanningProblem& problem) {
  const auto costs_of = [&](const Compression& compression) {
    CostTable costs =
        compressed_costs(compression, problem.costs, [](std::int64_t, std::int64_t bytes) {
          return TaskAlternative{.time = Duration(bytes), .workspace = {}};
        });
    test::set_link(
        costs, {.to_far = BytesPerSecond(1'000'000'000), .to_near = BytesPerSecond(1'000'000'000)});
    return costs;
  };
  return plan_with_compression({.problem = problem, .costs_of = costs_of}).plan;
}

void measure(const Job& job, Planner plan_with, const std::string& name, Report& report) {
  const Schedule& schedule = *find_schedule(job.schedule);
  ScheduleOptions options;
  if (plan_with == &plan_compressing) options.lms_action = LmsAction::kBoth;
  std::vector<double> sizes;
  std::vector<double> times;
  for (const std::size_t layers : kLayers) {
    test::Workload workload = test::workload_of_text(job.network(layers), 1);
    test::set_link(workload.costs, {.to_far = BytesPerSecond(1'000'000'000),
                                    .to_near = BytesPerSecond(1'000'000'000)});
    const PlanningProblem problem =
        test::problem_of(workload, job.budget(workload, job.schedule), options);
    const double ns = cpu_ns([&] {
      const PlanResult plan = plan_with(schedule, problem);
      if (!std::holds_alternative<Plan>(plan)) throw std::runtime_error("it fits");
      consume(&plan);
    });
    sizes.push_back(static_cast<double>(layers));
    times.push_back(ns);
    const bool first = layers == kLayers.front();
    report.add(fmt::format("{}, {} layers", name, layers), ns / 1e6, "ms",
               first ? std::optional(at_most(kMostMs)) : std::nullopt);
  }
  report.add(fmt::format("{}, exponent of time against layers", name), exponent(sizes, times), "",
             at_most(1.3));
}

void run(Report& report) {
  for (const Job& job : kJobs) measure(job, &plan_as_it_is, job.schedule, report);
  measure({"lms", &chain, &half_of_all}, &plan_compressing, "lms both", report);
}

}  // namespace

extern const Benchmark planning_benchmark{"planning", "how long does a schedule plan?", &run};

}  // namespace ooc
