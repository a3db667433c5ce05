// Sums of stays by difference array, linear in tensors and positions. The report names the first
// position that does not fit: everything before it does, so what it wants is what it would take at
// its start, and what is free is the rest beside what stays from before.
#include "simulator/schedules/footprint.hpp"

#include <algorithm>
#include <memory>

namespace ooc {

Bytes chosen_workspace(const PlanningProblem& problem, TaskId task) {
  return problem.costs[problem.chosen(task)].workspace;
}

std::size_t first_task(const Lifetime& life) {
  return life.first_writer ? life.first_writer->at() : 0;
}

Footprint::Footprint(const PlanningProblem& problem, std::size_t positions)
    : problem_(problem), workspace_of_(positions) {
  stays_.reserve(problem.graph.tensors.size() * 2);
}

void Footprint::add(const Stay& stay) { stays_.push_back(stay); }

void Footprint::add_workspaces() {
  for (std::size_t i = 0; i < problem_.graph.tasks.size(); ++i) {
    add_workspace(make_id<TaskId>(i), i);
  }
}

void Footprint::add_workspace(TaskId task, std::size_t position) {
  const Bytes workspace = chosen_workspace(problem_, task);
  if (workspace.count() == 0) return;
  std::optional<TaskId>& largest = workspace_of_[position];
  if (!largest || chosen_workspace(problem_, *largest) < workspace) largest = task;
}

std::vector<Bytes> Footprint::bytes() const {
  std::vector<Bytes> sums(workspace_of_.size() + 1);
  for (const Stay& stay : stays_) {
    const Bytes bytes = problem_.costs.tensor_bytes[stay.tensor.at()];
    sums[stay.first] += bytes;
    sums[stay.end] -= bytes;
  }
  for (std::size_t i = 1; i < sums.size(); ++i) sums[i] += sums[i - 1];
  sums.pop_back();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (workspace_of_[i]) sums[i] += chosen_workspace(problem_, *workspace_of_[i]);
  }
  return sums;
}

std::optional<OutOfMemory> Footprint::shortage(
    const std::function<std::string(std::size_t)>& name) const {
  const std::vector<Bytes> sums = bytes();
  const Bytes available = problem_.budget - problem_.costs.static_bytes;
  const auto fits = [&](Bytes sum) { return sum <= available; };
  const auto first = std::ranges::find_if_not(sums, fits);
  if (first == sums.end()) {
    if (fits(Bytes(0))) return std::nullopt;
    return OutOfMemory{.step = "the start",  // a network without a task that takes memory
                       .wanted = problem_.costs.static_bytes,
                       .free = problem_.budget,
                       .largest_hole = problem_.budget,
                       .smallest_budget = problem_.costs.static_bytes};
  }
  const auto position = static_cast<std::size_t>(first - sums.begin());
  OutOfMemory oom = describe(position, *std::ranges::max_element(sums));
  oom.step = name(position);
  return oom;
}

OutOfMemory Footprint::describe(std::size_t position, Bytes largest) const {
  OutOfMemory oom;
  const CostTable& costs = problem_.costs;
  Bytes held = costs.static_bytes;
  if (held.count() > 0) oom.holders.push_back({"weights, gradients, optimiser state", held});
  if (workspace_of_[position]) oom.wanted += chosen_workspace(problem_, *workspace_of_[position]);
  for (const Stay& stay : stays_) {
    if (stay.first > position || stay.end <= position) continue;
    const Bytes bytes = costs.tensor_bytes[stay.tensor.at()];
    const bool resident_at_start =
        position == 0 && !problem_.graph.lifetimes[stay.tensor.at()].first_writer;
    if (stay.first == position && !resident_at_start) {
      oom.wanted += bytes;
      continue;
    }
    held += bytes;
    oom.holders.push_back({tensor_name(problem_.graph, stay.tensor), bytes});
  }
  std::ranges::stable_sort(oom.holders, std::ranges::greater(), &OutOfMemory::Holder::bytes);
  oom.free = std::max(Bytes(0), problem_.budget - held);
  oom.largest_hole = oom.free;
  oom.smallest_budget = largest + costs.static_bytes;
  return oom;
}

namespace {

/// By task, of everything between first and last use, static bytes included.
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
  const std::vector<Bytes> own = touched_bytes(graph, costs);
  std::vector<Gain> steps;
  std::vector<Duration> now;
  Duration sum;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto algorithms = costs.alternatives_of(make_id<TaskId>(i));
    now.push_back(algorithms.front().time);
    sum += algorithms.front().time;
    for (const TaskAlternative& algorithm : algorithms.subspan(1)) {
      if (algorithm.time < algorithms.front().time) {
        steps.push_back({costs.static_bytes + own[i] + algorithm.workspace, make_id<TaskId>(i),
                         algorithm.time});
      }
    }
  }
  std::ranges::stable_sort(steps, {}, &Gain::room);
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
  const std::vector<Bytes> own = touched_bytes(graph, costs);
  const std::vector<Bytes> alive = alive_bytes(graph, costs);
  std::vector<AlternativeId> chosen;
  chosen.reserve(own.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    AlternativeId best = costs.default_alternative(make_id<TaskId>(i));
    for (AlternativeId algorithm = best; algorithm.index < costs.first_alternative[i + 1];
         ++algorithm.index) {
      const Bytes workspace = costs[algorithm].workspace;
      const bool fits =
          costs.static_bytes + own[i] + workspace <= room || alive[i] + workspace <= budget;
      if (fits && costs[algorithm].time < costs[best].time) best = algorithm;
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
