// Timing analysis, ranking and the chain of restorations, as lms.cpp explains them.
#include "simulator/schedules/lms_choice.hpp"

#include <algorithm>
#include <string>

#include "simulator/schedules/move_candidates.hpp"
#include "simulator/schedules/own_options.hpp"

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

/// The task after which the restoration behind `before` may begin, to be read by task `needed`.
std::size_t follow(const TrainingGraph& graph, const Restoration& before, std::size_t needed) {
  const Lifetime& life = graph.lifetimes[before.used.at()];
  const std::size_t last_use = before.reader.value_or(*life.last_use).at();
  if (last_use < needed) return last_use;
  // Together they must be from `needed` on, whatever the order: two that one task reads first have
  // nothing between them to wait for.
  const std::size_t first_use = before.reader.value_or(*life.first_backward_use).at();
  return first_use < needed ? first_use : 0;
}

}  // namespace

std::vector<TensorId> rank_for_lms(const PlanningProblem& problem) {
  const SlackAnalysis analysis(problem.graph);
  const auto bytes = [&](TensorId tensor) { return problem.costs.tensor_bytes[tensor.at()]; };
  std::vector<TensorId> ranked;
  for (const TensorId tensor : find_candidates(problem.graph)) {
    if (analysis.slack(tensor) < problem.options.own->slack_min) continue;
    if (bytes(tensor) < problem.options.own->bytes_min) continue;
    ranked.push_back(tensor);
  }
  std::sort(ranked.begin(), ranked.end(), [&](TensorId a, TensorId b) {
    const std::int64_t slack_a = analysis.slack(a);
    const std::int64_t slack_b = analysis.slack(b);
    if (slack_a != slack_b) return slack_a > slack_b;
    return bytes(a) != bytes(b) ? bytes(a) > bytes(b) : a < b;
  });
  return ranked;
}

std::vector<Move> chain_restorations(const PlanningProblem& problem, MemoryLedger& ledger,
                                     const std::vector<Restoration>& restorations) {
  const TrainingGraph& graph = problem.graph;
  const Bytes available = problem.budget - problem.costs.static_bytes;
  std::vector<Move> moves;
  std::size_t after = graph.forward_tasks - 1;
  const Restoration* before = nullptr;
  for (const Restoration& restoration : restorations) {
    const TensorId tensor = restoration.moved;
    const Bytes bytes = problem.costs.tensor_bytes[tensor.at()];
    const TaskId first_use = *graph.lifetimes[tensor.at()].first_backward_use;
    const std::size_t needed = restoration.reader.value_or(first_use).at();
    if (before != nullptr) after = std::max(after, follow(graph, *before, needed));
    if (needed == first_use.at()) {
      after = ledger.last_above(after + 1, needed, available - bytes).value_or(after);
      ledger.book(after + 1, needed, bytes);
    }
    moves.push_back({.tensor = tensor,
                     .may_return_after = make_id<TaskId>(after),
                     .reader = restoration.reader});
    before = &restoration;
  }
  return moves;
}

void check_lms_options(const ScheduleOptions& options) {
  if (options.own->slack_min < 0) {
    bad_value("--slack-min", std::to_string(options.own->slack_min), "an integer >= 0");
  }
  if (options.own->max_swaps && *options.own->max_swaps < 0) {
    bad_value("--max-swaps", std::to_string(*options.own->max_swaps), "an integer >= 0");
  }
}

}  // namespace ooc
