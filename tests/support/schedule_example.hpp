// An example for one schedule, small enough to redo by hand: its plan, its time, its smallest budget, what comes back
// and after what.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "simulator/plan/plan_text.hpp"
#include "simulator/schedules/schedule.hpp"
#include "tests/support/plan_laws.hpp"
#include "tests/support/planning_problem.hpp"
#include "tests/support/random_networks.hpp"
#include "tests/support/tiny_specs.hpp"

namespace ooc::test {

using Names = std::vector<std::string>;

inline constexpr Bytes kGigabyte{1'000'000'000};
inline constexpr Duration kMillisecond{1'000'000};
inline constexpr BytesPerSecond kTenPerSecond{10'000'000'000};

/// Sizes of small examples, in elements of float32.
[[nodiscard]] inline Bytes words(std::int64_t count) { return Bytes(count * 4); }

/// A network whose forward tasks take 10 ns, backward tasks 20 ns, updates and weights nothing.
[[nodiscard]] inline Workload timed_workload(const std::string& layers, const std::string& shape) {
  Workload workload = workload_of_text(tiny::network(layers, shape), 1);
  workload.costs.static_bytes = Bytes(0);
  for (std::size_t i = 0; i < workload.graph.tasks.size(); ++i) {
    const TaskKind kind = workload.graph.tasks[i].kind;
    const auto way = workload.costs.default_alternative(make_id<TaskId>(i));
    workload.costs.alternatives[way.at()].time = Duration(kind == TaskKind::kForward  ? 10
                                                          : kind == TaskKind::kUpdate ? 0
                                                                                      : 20);
  }
  return workload;
}

struct ScheduleExample {
  Workload workload;
  const Schedule* schedule = nullptr;
  bool all_equal = false;  ///< trials find all plans equally quick: the first one is taken

  [[nodiscard]] PlanResult result(Bytes budget, const ScheduleOptions& options = {}) const {
    REQUIRE(schedule != nullptr);
    PlanningProblem problem = problem_of(workload, budget, options);
    if (all_equal) {
      problem.evaluate = [](const Plan&) { return Trial{.iteration_time = Duration(0)}; };
    }
    return schedule->make_plan(problem);
  }
  [[nodiscard]] Plan plan(Bytes budget, const ScheduleOptions& options = {}) const {
    PlanResult made = result(budget, options);
    REQUIRE(std::holds_alternative<Plan>(made));
    require_valid(std::get<Plan>(made), workload.graph, workload.costs);
    return std::get<Plan>(std::move(made));
  }
  [[nodiscard]] Timeline run(Bytes budget, const ScheduleOptions& options = {}) const {
    return require_run(plan(budget, options), workload.graph, workload.costs, budget);
  }
  [[nodiscard]] Duration time(Bytes budget, const ScheduleOptions& options = {}) const {
    return run(budget, options).iteration_time;
  }
  [[nodiscard]] Bytes smallest(const ScheduleOptions& options = {}) const {
    return smallest_of(result(Bytes(0), options));
  }
  /// "b after c.backward", ...: the copies in, in order, each with the task that it waits for.
  [[nodiscard]] Names returns(Bytes budget, const ScheduleOptions& options = {}) const {
    const Plan made = plan(budget, options);
    Names names;
    for (const StepId in : made.queue(StepKind::kToNear)) {
      std::string name = tensor_name(workload.graph, TensorId{made.steps[in.at()].object});
      for (const StepId step : made.waits[in]) {
        if (made.steps[step.at()].kind != StepKind::kCompute) continue;
        name += " after " + step_name(made, workload.graph, step);
      }
      names.push_back(name);
    }
    return names;
  }
  /// "b before c.backward": what runs again, and the first task that does not behind it.
  [[nodiscard]] Names again(Bytes budget, const ScheduleOptions& options = {},
                            const std::string& joint = " before ") const {
    const Plan made = plan(budget, options);
    Names names;
    std::size_t waiting = 0;  // names without their task
    for (const StepId id : made.queues[0]) {
      const Step& step = made.steps[id.at()];
      if (step.recompute) {
        const Task& task = workload.graph.tasks[static_cast<std::size_t>(step.object)];
        names.push_back(workload.network->layers[task.layer.at()].name);
        continue;
      }
      for (; waiting < names.size(); ++waiting) {
        names[waiting] += joint + step_name(made, workload.graph, id);
      }
    }
    return names;
  }
  /// Of both directions.
  void set_rate(BytesPerSecond rate) {
    set_link(workload.costs, {.to_far = rate, .to_near = rate});
  }
};

/// docs/formats.md, section 6: a, b, c, d of 1 GB each, 50 ms forward, 100 ms backward; a copy takes 100 ms.
[[nodiscard]] inline ScheduleExample worked_example(const char* schedule,
                                                    std::int64_t gigabytes_per_second = 10) {
  ScheduleExample example{
      workload_of_file(std::string(OOC_SOURCE_DIR) + "/tests/data/worked_example.json", 1),
      find_schedule(schedule)};
  example.set_rate(BytesPerSecond(gigabytes_per_second * 1'000'000'000));
  return example;
}

}  // namespace ooc::test
