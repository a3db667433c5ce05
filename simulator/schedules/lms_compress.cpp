// The same choice as lms.cpp's: tensors by slack, the fewest that fit. What a tensor can do:
//
//     compress   written as float16 behind its last forward use, restored before its first backward use;
//                half its bytes stay. Only float32 values that a layer writes: no network inputs (they
//                may be indices), no dropout masks.
//     both       the same, and the half moves out and back. What cannot be compressed is swapped.
//
// Restoring is part of the compute queue, right before the reader, so the chain of restorations
// (lms.cpp) is one of the copies in, each of which waits until what was restored before has been used.
//
// Example, four linear layers a b c d on an input x of 1 word, outputs of 4, 4, 4 and 1, weights left
// aside; b saves a, c saves b, d saves c. Words (capitals: gradients; +: compressed, ': restored):
//
//     none   a 5  b 9         c 13         d 14 | d_d 17  d_w 17  c_d 17         c_w 17  b_d 13         b_w 13
//     a      a 5  b 9  a+ 11  c 11         d 12 | d_d 15  d_w 15  c_d 15         c_w 15  b_d 11  a' 15  b_w 13
//     a b    a 5  b 9  a+ 11  c 11  b+ 13  d 10 | d_d 13  d_w 13  c_d 13  b' 17  c_w 15  b_d 11  a' 15  b_w 13
//
// (a' has x, both forms of a, B and A near: 1 + 6 + 4 + 4.) A tensor that waits for long gains half its bytes all that
// time, but being restored takes half as much again: more compressed is not always less, so the needs of every number
// are worked out, the first that fits is taken, and the smallest budget is the least of them, here 15 words with one.
//
// When it does not help: where the tensors that are read next make the peak; where kernels on a queue
// that is busy anyway cost more than a link that is idle. Source and deviations: lms.cpp.
#include "simulator/schedules/lms_compress.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "model/base/precision.hpp"
#include "simulator/schedules/footprint.hpp"
#include "simulator/schedules/move_candidates.hpp"
#include "simulator/schedules/own_options.hpp"

namespace ooc {

// Timing analysis, ranking and the chain of restorations, as lms.cpp explains them.

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
  std::vector<TensorId> ranked = find_candidates(problem.graph);
  std::ranges::sort(ranked, {}, [&](TensorId each) {
    return std::tuple(-analysis.slack(each), -problem.costs.tensor_bytes[each.at()].count(), each);
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
  if (options.own->max_swaps && *options.own->max_swaps < 0) {
    bad_value("--max-swaps", std::to_string(*options.own->max_swaps), "an integer >= 0");
  }
}

namespace {

class CompressionPlanner {
 public:
  explicit CompressionPlanner(const CompressionRequest& request)
      : request_(request), problem_(request.problem), ranked_(rank_for_lms(request.problem)) {
    check();
    if (!moves()) ranked_ = compressible(std::move(ranked_));
    const auto all = static_cast<std::int64_t>(ranked_.size());
    const std::int64_t most = std::min(all, problem_.options.own->max_swaps.value_or(all));
    ranked_.resize(static_cast<std::size_t>(most));
  }

  PlannedIteration run() {
    const std::vector<Bytes> needs = needs_by_count();
    const Bytes available = problem_.budget - problem_.costs.static_bytes;
    const auto fits = [&](Bytes need) { return need <= available; };
    std::size_t count = ranked_.size();
    if (!problem_.options.own->max_swaps) {
      const auto first = std::ranges::find_if(needs, fits);
      const auto least = std::ranges::min_element(needs);
      count = static_cast<std::size_t>((first == needs.end() ? least : first) - needs.begin());
    }
    Attempt attempt = choose(count);
    if (attempt.shortage) return {*std::move(attempt.shortage), nullptr};
    return plan(std::move(attempt));
  }

 private:
  /// The first `chosen` of the ranked tensors compressed or moved.
  struct Attempt {
    std::size_t chosen = 0;
    Compression compression = {};
    CostTable costs = {};
    std::vector<Restoration> away = {};  ///< in the order in which they return
    std::optional<OutOfMemory> shortage = {};
  };

  [[nodiscard]] bool moves() const { return problem_.options.lms_action == LmsAction::kBoth; }

  void check() const {
    check_lms_options(problem_.options);
    if (problem_.options.own->restore_per_reader) {
      bad_value("--restore-per-reader", "compressed tensors", "--lms-action swap",
                "what was compressed is restored once");
    }
    const Dtype dtype = problem_.graph.network->dtype;
    if (dtype == Dtype::kFloat32) return;
    bad_value("--lms-action", "compression of " + std::string(dtype_info(dtype).name),
              "a network of float32", "only float32 is compressed, to float16");
  }

  [[nodiscard]] bool can_compress(TensorId tensor) const {
    const TensorRole role = problem_.graph.tensors[tensor.at()].role;
    const bool values = role == TensorRole::kActivation || role == TensorRole::kReserve;
    return values && problem_.costs.tensor_bytes[tensor.at()].count() > 0;
  }

  /// The first `count` of the ranked tensors.
  [[nodiscard]] std::vector<TensorId> chosen(std::size_t count) const {
    return in_order_of_return(problem_.graph, std::span(ranked_).first(count));
  }
  [[nodiscard]] std::vector<TensorId> compressible(std::vector<TensorId> tensors) const {
    std::erase_if(tensors, [&](TensorId tensor) { return !can_compress(tensor); });
    return tensors;
  }

  /// What the tasks need, static bytes left out, when the first 0, 1, ... of the ranked tensors are chosen: sums along
  /// the graph in which all are compressed. Where one is not, its two tasks there need less than their neighbours.
  [[nodiscard]] std::vector<Bytes> needs_by_count() const {
    const Compression all = compress_tensors(problem_.graph, compressible(chosen(ranked_.size())));
    const CostTable costs = request_.costs_of(all);
    const std::vector<Lifetime>& lives = all.graph.lifetimes;
    std::vector<std::optional<Lifetime>> restored(problem_.graph.tensors.size());
    for (const CompressedTensor& it : all.tensors) {
      restored[it.source.at()] = lives[it.restored.at()];
    }
    const PlanningProblem problem{all.graph, costs, problem_.budget, problem_.options};
    Footprint footprint(problem, all.graph.tasks.size());
    for (std::size_t i = 0; i < restored.size(); ++i) {
      if (!lives[i].last_use) continue;
      const auto& end = restored[i] ? restored[i]->last_use : lives[i].last_use;
      footprint.add({make_id<TensorId>(i), first_task(lives[i]), end->at() + 1});
    }
    footprint.add_workspaces();
    MemoryLedger ledger(footprint.bytes());
    std::vector<Bytes> needs{ledger.max(0, ledger.size())};
    for (const TensorId tensor : ranked_) {
      const Lifetime& life = lives[tensor.at()];
      const Bytes whole = problem_.costs.tensor_bytes[tensor.at()];
      const Bytes half(can_compress(tensor) ? whole.count() / 2 : 0);
      if (const auto& back = restored[tensor.at()]) {
        ledger.book(life.last_use->at(), life.last_use->at() + 1, half);
        ledger.book(life.last_use->at() + 1, back->first_writer->at(),
                    (moves() ? Bytes(0) : half) - whole);
        ledger.book(back->first_writer->at(), back->first_writer->at() + 1, half);
      } else {
        ledger.book(life.last_forward_use->at() + 1, life.first_backward_use->at(),
                    Bytes(0) - whole);
      }
      needs.push_back(ledger.max(0, ledger.size()));
    }
    return needs;
  }

  [[nodiscard]] PlanningProblem problem_of(const Attempt& trial) const {
    PlanningProblem problem{.graph = trial.compression.graph,
                            .costs = trial.costs,
                            .budget = problem_.budget,
                            .options = problem_.options};
    fit_algorithms(problem);
    return problem;
  }

  [[nodiscard]] Attempt choose(std::size_t count) const {
    Attempt trial{.chosen = count};
    trial.compression = compress_tensors(problem_.graph, compressible(chosen(count)));
    trial.costs = request_.costs_of(trial.compression);
    if (moves()) {
      std::size_t next = 0;
      for (const TensorId tensor : chosen(count)) {
        if (can_compress(tensor)) {
          const CompressedTensor& made = trial.compression.tensors[next++];
          trial.away.push_back({.moved = made.compressed, .used = made.restored});
        } else {
          trial.away.push_back({.moved = tensor, .used = tensor});
        }
      }
      // What is moved as it is returns for the task itself, what was compressed for one before it.
      const std::vector<Lifetime>& lives = trial.compression.graph.lifetimes;
      std::ranges::stable_sort(trial.away, {}, [&](const Restoration& each) {
        return *lives[each.moved.at()].first_backward_use;
      });
    }
    std::vector<TensorId> away;
    for (const Restoration& restoration : trial.away) away.push_back(restoration.moved);
    const PlanningProblem problem = problem_of(trial);
    trial.shortage = task_shortage(problem, footprint_without(problem, away));
    return trial;
  }

  PlannedIteration plan(Attempt trial) const {
    if (trial.chosen == 0) return {build_task_plan(problem_, {}), nullptr};
    const PlanningProblem problem = problem_of(trial);
    std::vector<TensorId> away;
    for (const Restoration& restoration : trial.away) away.push_back(restoration.moved);
    MemoryLedger ledger(footprint_without(problem, away).bytes());
    PlanResult plan = build_task_plan(problem, chain_restorations(problem, ledger, trial.away));
    return {std::move(plan),
            std::make_shared<const Iteration>(Iteration{
                .graph = std::make_shared<const TrainingGraph>(std::move(trial.compression.graph)),
                .costs = std::move(trial.costs),
                .sub_batch = problem_.costs.batch})};
  }

  const CompressionRequest& request_;
  const PlanningProblem& problem_;
  std::vector<TensorId> ranked_;  ///< in the order in which they are chosen
};

}  // namespace

PlannedIteration plan_with_compression(const CompressionRequest& request) {
  return CompressionPlanner(request).run();
}

}  // namespace ooc
