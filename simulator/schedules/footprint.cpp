// Sums of stays by difference array, linear in tensors and positions. The report names the first
// position that does not fit: everything before it does, so what it wants is what it would take at
// its start, and what is free is the rest beside what stays from before.
#include "simulator/schedules/footprint.hpp"

#include <algorithm>

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
  const auto first = std::find_if_not(sums.begin(), sums.end(), fits);
  if (first == sums.end()) {
    if (fits(Bytes(0))) return std::nullopt;
    return OutOfMemory{.step = "the start",  // a network without a task that takes memory
                       .wanted = problem_.costs.static_bytes,
                       .free = problem_.budget,
                       .largest_hole = problem_.budget,
                       .holders = {},
                       .smallest_budget = problem_.costs.static_bytes};
  }
  const auto position = static_cast<std::size_t>(first - sums.begin());
  OutOfMemory oom = describe(position, *std::max_element(sums.begin(), sums.end()));
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
  std::stable_sort(oom.holders.begin(), oom.holders.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  oom.free = std::max(Bytes(0), problem_.budget - held);
  oom.largest_hole = oom.free;
  oom.smallest_budget = largest + costs.static_bytes;
  return oom;
}

}  // namespace ooc
