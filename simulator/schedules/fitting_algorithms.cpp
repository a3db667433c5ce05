#include "simulator/schedules/fitting_algorithms.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "simulator/schedules/footprint.hpp"

namespace ooc {
namespace {

/// Bytes that a task needs beside its workspace, static bytes included.
struct TaskBytes {
  std::vector<Bytes> own;    ///< by task: what it reads and writes
  std::vector<Bytes> alive;  ///< by task: everything between first and last use
};

std::vector<Bytes> own_bytes(const TrainingGraph& graph, const CostTable& costs) {
  std::vector<Bytes> own(graph.tasks.size(), costs.static_bytes);
  std::vector<std::int32_t> touched_by(graph.tensors.size(), -1);
  for (std::size_t i = 0; i < own.size(); ++i) {
    const TaskId task = make_id<TaskId>(i);
    for (const auto tensors : {graph.reads[task], graph.writes[task]}) {
      for (const TensorId tensor : tensors) {
        if (std::exchange(touched_by[tensor.at()], task.index) == task.index) continue;
        own[i] += costs.tensor_bytes[tensor.at()];
      }
    }
  }
  return own;
}

std::vector<Bytes> alive_bytes(const TrainingGraph& graph, const CostTable& costs) {
  std::vector<Bytes> change(graph.tasks.size() + 1);
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const Lifetime& life = graph.lifetimes[i];
    if (!life.last_use) continue;
    change[first_task(life)] += costs.tensor_bytes[i];
    change[life.last_use->at() + 1] -= costs.tensor_bytes[i];
  }
  Bytes alive = costs.static_bytes;
  for (Bytes& each : change) each = alive += each;
  return change;
}

}  // namespace

std::vector<Bytes> algorithm_rooms(const TrainingGraph& graph, const CostTable& costs,
                                   Bytes budget) {
  constexpr std::int64_t kWorthwhile = 100;
  struct Gain {
    Bytes room;
    TaskId task;
    Duration time;
  };
  const std::vector<Bytes> own = own_bytes(graph, costs);
  std::vector<Gain> steps;
  std::vector<Duration> now;
  Duration sum;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto ways = costs.alternatives_of(make_id<TaskId>(i));
    now.push_back(ways.front().time);
    sum += ways.front().time;
    for (const TaskAlternative& way : ways.subspan(1)) {
      if (way.time < ways.front().time) {
        steps.push_back({own[i] + way.workspace, make_id<TaskId>(i), way.time});
      }
    }
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Gain& a, const Gain& b) { return a.room < b.room; });
  std::vector<Bytes> rooms{Bytes(0)};
  Duration last = sum;
  Bytes final_room;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Duration& time = now[steps[i].task.at()];
    if (steps[i].time < time) {
      sum -= time - steps[i].time;
      time = steps[i].time;
      final_room = steps[i].room;
    }
    const bool more = i + 1 < steps.size() && steps[i + 1].room == steps[i].room;
    if (more || (last - sum).count() < last.count() / kWorthwhile) continue;
    rooms.push_back(steps[i].room);
    last = sum;
  }
  if (final_room > rooms.back()) rooms.push_back(final_room);
  std::erase_if(rooms, [&](Bytes room) { return room > budget; });
  return rooms;
}

std::vector<AlternativeId> fitting_algorithms(const TrainingGraph& graph, const CostTable& costs,
                                              Bytes room, Bytes budget) {
  const std::vector<Bytes> own = own_bytes(graph, costs);
  const std::vector<Bytes> alive = alive_bytes(graph, costs);
  std::vector<AlternativeId> chosen;
  chosen.reserve(own.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    AlternativeId best = costs.default_alternative(make_id<TaskId>(i));
    for (AlternativeId way = best; way.index < costs.first_alternative[i + 1]; ++way.index) {
      const Bytes workspace = costs[way].workspace;
      const bool fits = own[i] + workspace <= room || alive[i] + workspace <= budget;
      if (fits && costs[way].time < costs[best].time) best = way;
    }
    chosen.push_back(best);
  }
  return chosen;
}

void fit_algorithms(PlanningProblem& problem) {
  const ScheduleOptions& options = problem.options;
  problem.fitting.reset();
  if (options.algorithms != AlgorithmChoice::kFitting || !options.room) return;
  problem.fitting = std::make_shared<const std::vector<AlternativeId>>(
      fitting_algorithms(problem.graph, problem.costs, *options.room, problem.budget));
}

}  // namespace ooc
