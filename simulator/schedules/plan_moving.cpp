// The order of returns is that of Janssen, Zolotov, Le's restorations (lms_choice.hpp): one after another.
#include "simulator/schedules/plan_moving.hpp"

#include <algorithm>
#include <limits>

#include "simulator/plan/memory_ledger.hpp"
#include "simulator/schedules/lms_choice.hpp"
#include "simulator/schedules/move_candidates.hpp"
#include "simulator/schedules/task_plan.hpp"

namespace ooc {
namespace {

/// In the order of find_candidates: that of the restorations.
std::vector<Restoration> in_order_of_return(const TrainingGraph& graph,
                                            const std::vector<TensorId>& away) {
  std::vector<bool> moves(graph.tensors.size());
  for (const TensorId tensor : away) moves[tensor.at()] = true;
  std::vector<Restoration> ordered;
  for (const TensorId tensor : find_candidates(graph)) {
    if (moves[tensor.at()]) ordered.push_back({.moved = tensor, .used = tensor});
  }
  return ordered;
}

/// By reader, of one reader's in the same order. What backward writes as well returns once: far memory has it as it
/// was.
std::vector<Restoration> for_each_reader(const TrainingGraph& graph,
                                         const std::vector<Restoration>& once) {
  constexpr std::size_t kStays = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> place(graph.tensors.size(), kStays);
  for (std::size_t i = 0; i < once.size(); ++i) place[once[i].moved.at()] = i;
  std::vector<bool> written(graph.tensors.size());
  std::vector<Restoration> each;
  std::vector<std::size_t> read;
  for (std::size_t i = graph.forward_tasks; i < graph.backward_end; ++i) {
    const TaskId task = make_id<TaskId>(i);
    for (const TensorId tensor : graph.writes[task]) written[tensor.at()] = true;
  }
  for (std::size_t i = graph.forward_tasks; i < graph.backward_end; ++i) {
    const TaskId task = make_id<TaskId>(i);
    read.clear();
    for (const TensorId tensor : graph.reads[task]) {
      if (place[tensor.at()] != kStays) read.push_back(place[tensor.at()]);
    }
    std::sort(read.begin(), read.end());
    for (const std::size_t index : read) {
      Restoration restoration = once[index];
      const TensorId tensor = restoration.moved;
      if (!written[tensor.at()]) {
        restoration.reader = task;
      } else if (graph.lifetimes[tensor.at()].first_backward_use != task) {
        continue;
      }
      each.push_back(restoration);
    }
  }
  return each;
}

}  // namespace

PlanResult plan_moving(const PlanningProblem& problem, const std::vector<TensorId>& away,
                       Returns returns) {
  const Footprint footprint = footprint_without(problem, away);
  if (auto shortage = task_shortage(problem, footprint)) return *std::move(shortage);
  MemoryLedger ledger(footprint.bytes());
  std::vector<Restoration> restorations = in_order_of_return(problem.graph, away);
  if (returns == Returns::kForEachReader) {
    restorations = for_each_reader(problem.graph, restorations);
  }
  return build_task_plan(problem, chain_restorations(problem, ledger, restorations));
}

}  // namespace ooc
