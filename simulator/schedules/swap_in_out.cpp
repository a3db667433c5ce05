// swap-in-out: keep near the feature maps with the shortest wait, swap the others, and bring each
// back as late as its copy can still hide. What the paper adds to TensorFlow's graph, a control
// edge from a trigger task to the swap-in, is here a wait of the copy in for that task.
//
// Which tensors stay: from the loss backwards through the forward pass, as long as they fit beside
// what the tasks themselves need; --keep-bytes stops earlier. The first one that does not fit is
// swapped, and everything written before it. When a tensor comes back: tasks are taken to end when
// they would without any stall, and a copy in has to start by the start of its reader, less the copies of all that
// this reader brings back: no copy is taken to wait for those of other readers. The trigger is the latest task that has
// ended by then. Where memory has no room for so early a return, the trigger is the first task after which there is.
//
// Example, four layers a b c d, outputs of 1 GB saved for backward, network input 1 GB; 50 ms
// forward, 100 ms backward, a copy takes 100 ms. Without stalls the tasks end at
//
//     task           a.fw b.fw c.fw d.fw d.bw c.bw b.bw a.bw
//     ends, ms         50  100  150  200  300  400  500  600
//     GB, all moved     2    2    2    2    2    3    3    2   smallest budget: 3 GB
//
// In 4 GB: c and then b fit, a does not (at d.bw and c.bw there are 4 GB already). a is needed at
// 500 ms, so its copy must start at 400: the trigger is c.bw, the copy runs beside b.bw, 600 ms.
// If all three must move (--keep-bytes 0B): a's copy starts at 400, b's at 300, c's at 200: triggers c.bw, d.bw
// and d.fw. With copies of 200 ms they have to start at 300, 200 and 100 ms, and queue behind each other.
//
// When it does not help: where the link is slower than the backward pass: a return that was started as late as possible
// for a link that keeps up only queues behind the others, and capacity, which returns as early as memory allows, is
// faster. The estimate knows no stalls of the forward pass; they move all triggers alike.
//
// More memory or a faster link can make it slower: it keeps what is written last, whatever that costs (tests/property/monotony_test.cpp).
//
// Source: Meng et al., Training Deeper Models by GPU Memory Optimization on TensorFlow (NIPS workshop 2017), 3.1.1 and
// 3.1.2; its triggers come from a critical path of the graph, which knows no queue
// (docs/notebook/0062-swap-in-out-as-published.md). Deviations: the paper's threshold is a number of bytes given by the
// user; by default it is here whatever fits, task by task, so that nothing moves where nothing must. The paper's triggers
// are unsound: they know no memory, and a copy may find no room when its trigger has ended; here a later trigger is taken
// then. Its memory-efficient attention is a property of the layer here (networks/README.md), so it serves every schedule.
#include <algorithm>

#include "simulator/plan/memory_ledger.hpp"
#include "simulator/schedules/move_candidates.hpp"
#include "simulator/schedules/own_options.hpp"
#include "simulator/schedules/task_plan.hpp"

namespace ooc {
namespace {

/// A candidate's absence: the tasks [first, end).
struct Gap {
  std::size_t first = 0;
  std::size_t end = 0;
};

Gap gap_of(const TrainingGraph& graph, TensorId tensor) {
  const Lifetime& life = graph.lifetimes[tensor.at()];
  return {life.last_forward_use->at() + 1, life.first_backward_use->at()};
}

Bytes available(const PlanningProblem& problem) {
  return problem.budget - problem.costs.static_bytes;
}

/// Books what stays, latest written first; returns the others, in the order of `candidates`.
std::vector<TensorId> keep_nearest(const PlanningProblem& problem, MemoryLedger& ledger,
                                   const std::vector<TensorId>& candidates) {
  std::vector<TensorId> nearest = candidates;
  std::ranges::stable_sort(nearest, std::ranges::greater(),
                           [&](TensorId each) { return written_at(problem.graph, each); });
  std::vector<bool> stays(problem.graph.tensors.size());
  Bytes kept;
  for (const TensorId tensor : nearest) {
    const Bytes bytes = problem.costs.tensor_bytes[tensor.at()];
    const Gap gap = gap_of(problem.graph, tensor);
    kept += bytes;
    if (problem.options.own->keep_bytes && kept > *problem.options.own->keep_bytes) break;
    if (ledger.max(gap.first, gap.end) + bytes > available(problem)) break;
    ledger.book(gap.first, gap.end, bytes);
    stays[tensor.at()] = true;
  }
  std::vector<TensorId> swapped;
  for (const TensorId tensor : candidates) {
    if (!stays[tensor.at()]) swapped.push_back(tensor);
  }
  return swapped;
}

/// When each task ends if nothing ever waits.
std::vector<Duration> completion_times(const PlanningProblem& problem) {
  std::vector<Duration> ends;
  ends.reserve(problem.graph.tasks.size());
  Duration now;
  for (std::size_t i = 0; i < problem.graph.tasks.size(); ++i) {
    now += problem.costs[problem.chosen(make_id<TaskId>(i))].time;
    ends.push_back(now);
  }
  return ends;
}

std::vector<Move> choose_triggers(const PlanningProblem& problem, MemoryLedger& ledger,
                                  const std::vector<TensorId>& swapped) {
  const std::vector<Duration> ends = completion_times(problem);
  std::vector<Duration> copies(ends.size());  // by reader: of all that it brings back
  for (const TensorId tensor : swapped) {
    copies[gap_of(problem.graph, tensor).end] += problem.costs.transfers.to_near[tensor.at()].alone;
  }
  std::vector<Move> moves;
  std::size_t trigger = 0;  // copies in run in order, so none returns before the one ahead of it
  for (const TensorId tensor : swapped) {
    const Bytes bytes = problem.costs.tensor_bytes[tensor.at()];
    const Gap gap = gap_of(problem.graph, tensor);
    trigger = std::max(trigger, gap.first - 1);
    const auto last = ends.begin() + static_cast<std::ptrdiff_t>(gap.end);
    const auto behind = std::upper_bound(ends.begin(), last, ends[gap.end - 1] - copies[gap.end]);
    if (behind != ends.begin()) {
      trigger = std::max(trigger, static_cast<std::size_t>(behind - ends.begin()) - 1);
    }
    trigger = ledger.last_above(trigger + 1, gap.end, available(problem) - bytes).value_or(trigger);
    ledger.book(trigger + 1, gap.end, bytes);
    moves.push_back({.tensor = tensor, .may_return_after = make_id<TaskId>(trigger)});
  }
  return moves;
}

PlanResult plan_swap_in_out(const PlanningProblem& problem) {
  const std::vector<TensorId> candidates = find_candidates(problem.graph);
  const Footprint footprint = footprint_without(problem, candidates);
  if (auto shortage = task_shortage(problem, footprint)) return *std::move(shortage);
  MemoryLedger ledger(footprint.bytes());
  const std::vector<TensorId> swapped = keep_nearest(problem, ledger, candidates);
  return build_task_plan(problem, choose_triggers(problem, ledger, swapped));
}

constexpr std::string_view kSwapInOutOptions[] = {"--algorithms", "--keep-bytes"};

}  // namespace

extern const Schedule swap_in_out_schedule{
    .name = "swap-in-out",
    .summary = "keep what is written last, swap the rest, bring it back as late as copies can hide",
    .source = "Meng et al., GPU Memory Optimization on TensorFlow (2017), 3.1",
    .traits = {Trait::kCarriesState, Trait::kPlansForLink, Trait::kMovesOnlyWhatItMust},
    .options = kSwapInOutOptions,
    .make_plan = plan_swap_in_out,
};

}  // namespace ooc
