// in-core: nothing moves. The reference that every other schedule is measured against, and the
// answer to "does it fit as it is": the peak is exact under the graph's accounting.
//
// Example, four layers a b c d whose backward reads their outputs (saves "output"), 1 GB each, network input 1 GB:
//
//     task      a.fw b.fw c.fw d.fw d.bw c.bw b.bw a.bw
//     near GB      2    2    3    4    5    5    4    2     (d.bw: a b c d and the gradient of c;
//                                                            c.bw: a b c and the gradients of c, b)
//
// The input dies after a.fw. So it runs in 5 GB and not in less.
//
// When it does not help: whenever the peak exceeds the budget; there is nothing it could do about it.
//
// Source: the "in-core" line of OOC-Paleo's figures; every framework's default. Lifetimes are those
// of docs/model.md, section 3. No deviation.
#include "simulator/schedules/move_candidates.hpp"
#include "simulator/schedules/task_plan.hpp"

namespace ooc {
namespace {

PlanResult plan_in_core(const PlanningProblem& problem) {
  if (auto shortage = task_shortage(problem, footprint_without(problem, {}))) {
    return *std::move(shortage);
  }
  return build_task_plan(problem, {});
}

}  // namespace

extern const Schedule in_core_schedule{
    .name = "in-core",
    .summary = "nothing moves: what fits as it is",
    .source = "frameworks' default; OOC-Paleo's reference",
    .traits = {Trait::kCarriesState, Trait::kMovesNothing, Trait::kMovesOnlyWhatItMust},
    .options = kAlgorithmsAlone,
    .make_plan = plan_in_core,
};

}  // namespace ooc
