// lms: large model support as IBM's authors describe it. Timing analysis of the data-flow graph, as
// for digital circuits, says how long each tensor waits for its reader; those that wait longest are
// swapped, no more of them than needed, and they come back one after the other.
//
// Every task takes one unit. A task can start (TRT) when the last of its inputs has arrived, and its
// outputs arrive (TAT) one unit later; the slack of a tensor is the TRT of the first backward task
// that reads it less its own TAT. Candidates have a slack of at least --slack-min and a size of at
// least --bytes-min; longest slack first, of equals the largest, of equals in order of the graph.
// --max-swaps N swaps the first N of them; without it the smallest number is taken that fits, found
// by bisection: swapping one more never needs more memory.
//
// Partial serialisation: a reader waits for its own restoration (the copy in), and a restoration
// begins only when the tensor restored before it has been used for the last time, so that no two of
// them are near together. Where the one before is still used when the next one is read, that cannot
// be: the next then follows its first use. The first restoration begins at the turn. Where memory has
// no room for a restoration so early it begins after the first task behind which there is room.
//
// Example, four layers a b c d, outputs of 1 GB saved for backward, network input 1 GB:
//
//     task       a.fw b.fw c.fw d.fw d.bw c.bw b.bw a.bw
//     TAT           1    2    3    4    5    6    7    8
//     reads saved                   d:0  c:2  b:4  a:6     tensor: slack (a: TRT 7 - TAT 1)
//     GB, none moved  2  2    3    4    5    5    4    2
//     GB, a moved     2  2    2    3    4    4    3    2
//
// In 4 GB one swap is enough, a; there is room for its return after c.bw: 600 ms if a copy takes
// 100 ms, as with enough memory. If all three move (--max-swaps 3), the chain is c, b after c.bw,
// a after b.bw: each copy runs alone and is waited for, 950 ms.
//
// When it does not help: where copies could hide: on a chain of layers a serialised restoration hides
// behind nothing but the tasks between two saved tensors. Where slack in units misleads: a long
// series of quick layers looks longer than one slow convolution.
//
// Source: Janssen, Zolotov, Le, Large Data Flow Graphs in Limited GPU Memory (IBM). Deviations: only
// the swap action is there; its compress action (fp16, and both together) is left out. The paper
// inserts a pair of nodes per edge; here a tensor moves once, between the forward and the backward
// pass, so that slack is counted up to the first backward reader and edges within one pass are no
// candidates. The automatic number is ours; the paper's user finds it by trying. A layer's backward
// tasks start no earlier than its forward task ends, also where no tensor says so.
#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "simulator/plan/memory_ledger.hpp"
#include "simulator/schedules/move_candidates.hpp"
#include "simulator/schedules/task_plan.hpp"

namespace ooc {
namespace {

/// By tensor: the slack of its first backward use, in units; 0 for what backward does not use.
class SlackAnalysis {
 public:
  explicit SlackAnalysis(const TrainingGraph& graph)
      : graph_(graph),
        arrival_(graph.tensors.size()),
        forward_end_(graph.network->layers.size()),
        slack_(graph.tensors.size()) {
    for (std::size_t i = 0; i < graph.backward_end; ++i) visit(make_id<TaskId>(i));
  }

  [[nodiscard]] std::int64_t slack(TensorId tensor) const { return slack_[tensor.at()]; }

 private:
  void visit(TaskId task) {
    const bool forward = task.at() < graph_.forward_tasks;
    const std::size_t layer = graph_.tasks[task.at()].layer.at();
    std::int64_t required = forward ? 0 : forward_end_[layer];
    for (const auto row : {graph_.reads[task], graph_.writes[task]}) {
      for (const TensorId tensor : row) required = std::max(required, arrival_[tensor.at()]);
    }
    for (const TensorId tensor : graph_.reads[task]) {
      const bool first = graph_.lifetimes[tensor.at()].first_backward_use == task;
      if (first) slack_[tensor.at()] = required - arrival_[tensor.at()];
    }
    for (const TensorId tensor : graph_.writes[task]) arrival_[tensor.at()] = required + 1;
    if (forward) forward_end_[layer] = required + 1;
  }

  const TrainingGraph& graph_;
  std::vector<std::int64_t> arrival_;      ///< TAT of what has been written last; 0 if nothing has
  std::vector<std::int64_t> forward_end_;  ///< by layer: TAT of its forward task
  std::vector<std::int64_t> slack_;
};

/// What may be swapped, in the order in which it would be.
std::vector<TensorId> rank_candidates(const PlanningProblem& problem) {
  const SlackAnalysis analysis(problem.graph);
  const auto bytes = [&](TensorId tensor) { return problem.costs.tensor_bytes[tensor.at()]; };
  std::vector<TensorId> ranked;
  for (const TensorId tensor : find_candidates(problem.graph)) {
    if (analysis.slack(tensor) < problem.options.slack_min) continue;
    if (bytes(tensor) < problem.options.bytes_min) continue;
    ranked.push_back(tensor);
  }
  std::sort(ranked.begin(), ranked.end(), [&](TensorId a, TensorId b) {
    const std::int64_t slack_a = analysis.slack(a);
    const std::int64_t slack_b = analysis.slack(b);
    if (slack_a != slack_b) return slack_a > slack_b;
    return bytes(a) != bytes(b) ? bytes(a) > bytes(b) : a < b;
  });
  const auto limit = static_cast<std::size_t>(
      problem.options.max_swaps.value_or(static_cast<std::int64_t>(ranked.size())));
  if (limit < ranked.size()) ranked.resize(limit);
  return ranked;
}

/// Do the tasks fit when the first `count` of the ranked tensors are away? `none_away`: what they
/// need when none is.
bool fits(const PlanningProblem& problem, const std::vector<Bytes>& none_away,
          const std::vector<TensorId>& ranked, std::size_t count) {
  std::vector<Bytes> away(none_away.size() + 1);  // by task: bytes more than before it
  for (const TensorId tensor : std::span(ranked).first(count)) {
    const Lifetime& life = problem.graph.lifetimes[tensor.at()];
    const Bytes bytes = problem.costs.tensor_bytes[tensor.at()];
    away[life.last_forward_use->at() + 1] += bytes;
    away[life.first_backward_use->at()] -= bytes;
  }
  const Bytes available = problem.budget - problem.costs.static_bytes;
  Bytes sum;
  for (std::size_t task = 0; task < none_away.size(); ++task) {
    sum += away[task];
    if (none_away[task] - sum > available) return false;
  }
  return true;
}

/// The smallest number of swaps that fits. Precondition: all of them together fit.
std::size_t fewest_swaps(const PlanningProblem& problem, const std::vector<TensorId>& ranked) {
  const std::vector<Bytes> none_away = footprint_without(problem, {}).bytes();
  std::size_t low = 0;
  std::size_t high = ranked.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (fits(problem, none_away, ranked, middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// In the order of find_candidates: that of the restorations.
std::vector<TensorId> in_order_of_return(const TrainingGraph& graph,
                                         const std::vector<TensorId>& swapped) {
  std::vector<bool> moves(graph.tensors.size());
  for (const TensorId tensor : swapped) moves[tensor.at()] = true;
  std::vector<TensorId> ordered;
  for (const TensorId tensor : find_candidates(graph)) {
    if (moves[tensor.at()]) ordered.push_back(tensor);
  }
  return ordered;
}

/// The task after which the restoration behind `before` may begin, to be read by task `needed`.
std::size_t follow(const Lifetime& before, std::size_t needed) {
  if (before.last_use->at() < needed) return before.last_use->at();
  // Together they must be from `needed` on, whatever the order: two that one task reads first have
  // nothing between them to wait for.
  const std::size_t first_use = before.first_backward_use->at();
  return first_use < needed ? first_use : 0;
}

std::vector<Move> chain_restorations(const PlanningProblem& problem, MemoryLedger& ledger,
                                     const std::vector<TensorId>& swapped) {
  const TrainingGraph& graph = problem.graph;
  const Bytes available = problem.budget - problem.costs.static_bytes;
  std::vector<Move> moves;
  std::size_t after = graph.forward_tasks - 1;
  for (const TensorId tensor : swapped) {
    const Lifetime& life = graph.lifetimes[tensor.at()];
    const Bytes bytes = problem.costs.tensor_bytes[tensor.at()];
    const std::size_t needed = life.first_backward_use->at();
    if (!moves.empty()) {
      after = std::max(after, follow(graph.lifetimes[moves.back().tensor.at()], needed));
    }
    after = ledger.last_above(after + 1, needed, available - bytes).value_or(after);
    ledger.book(after + 1, needed, bytes);
    moves.push_back({.tensor = tensor, .may_return_after = make_id<TaskId>(after)});
  }
  return moves;
}

void check_options(const ScheduleOptions& options) {
  if (options.slack_min < 0) {
    option_error("--slack-min", std::to_string(options.slack_min), "an integer >= 0");
  }
  if (options.max_swaps && *options.max_swaps < 0) {
    option_error("--max-swaps", std::to_string(*options.max_swaps), "an integer >= 0");
  }
}

PlanResult make_plan(const PlanningProblem& problem) {
  check_options(problem.options);
  std::vector<TensorId> ranked = rank_candidates(problem);
  const Footprint least = footprint_without(problem, ranked);
  if (auto shortage = task_shortage(problem, least)) return *std::move(shortage);
  if (!problem.options.max_swaps) ranked.resize(fewest_swaps(problem, ranked));
  MemoryLedger ledger(footprint_without(problem, ranked).bytes());
  const std::vector<TensorId> swapped = in_order_of_return(problem.graph, ranked);
  return build_task_plan(problem, chain_restorations(problem, ledger, swapped));
}

constexpr std::string_view kOptions[] = {"--algorithms", "--slack-min", "--bytes-min",
                                         "--max-swaps"};

}  // namespace

extern const Schedule lms_schedule{
    .name = "lms",
    .summary = "swap the tensors with the longest slack, as few as fit; they return one by one",
    .source = "Janssen, Zolotov, Le, Large Data Flow Graphs in Limited GPU Memory",
    .moves_tensors = true,
    .options = kOptions,
    .make_plan = make_plan,
};

}  // namespace ooc
