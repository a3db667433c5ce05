// The order of returns is that of Janssen, Zolotov, Le's restorations (lms_choice.hpp): one after another.
#include "simulator/schedules/plan_moving.hpp"

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

}  // namespace

PlanResult plan_moving(const PlanningProblem& problem, const std::vector<TensorId>& away) {
  const Footprint footprint = footprint_without(problem, away);
  if (auto shortage = task_shortage(problem, footprint)) return *std::move(shortage);
  MemoryLedger ledger(footprint.bytes());
  const std::vector<Restoration> returns = in_order_of_return(problem.graph, away);
  return build_task_plan(problem, chain_restorations(problem, ledger, returns));
}

}  // namespace ooc
