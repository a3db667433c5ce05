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
// Example, three linear layers a b c on an input of 1 word, outputs 4, 4 and 1, weights left aside; a
// and b are saved by b and c. Words (capitals: gradients, ': compressed, +: added tasks):
//
//     in-core    a 5  b 9  c 10 | c_d 13  c_w 13  b_d 13  b_w 13 ...       (x a b B; x a B A)
//     b          a 5  b 9  c 10  b+ 11 | c_d 11  b'+ 15                     worse
//     a          a 5  b 9  a+ 11  c 8 | c_d 11  c_w 11  b_d 11  a'+ 15     (x a' a B A: 1+2+4+4+4)
//
// So a tensor that many others outlive gains half its bytes at the turn, but the moment of its
// restoration takes half as much again: compressing more is not always less, and the smallest budget is
// the lesser of none compressed and all of them.
#include "simulator/schedules/lms_compress.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "simulator/schedules/lms_choice.hpp"
#include "simulator/schedules/move_candidates.hpp"
#include "simulator/schedules/recompute_choice.hpp"

namespace ooc {
namespace {

class CompressionPlanner {
 public:
  explicit CompressionPlanner(const CompressionRequest& request)
      : request_(request), problem_(request.problem), ranked_(rank_for_lms(request.problem)) {
    check();
    if (!moves()) {
      std::erase_if(ranked_, [&](TensorId tensor) { return !can_compress(tensor); });
    }
    const auto all = static_cast<std::int64_t>(ranked_.size());
    const std::int64_t most = std::min(all, problem_.options.max_swaps.value_or(all));
    ranked_.resize(static_cast<std::size_t>(most));
  }

  RoundsResult run() {
    Attempt all = attempt(ranked_.size());
    if (problem_.options.max_swaps) {
      if (all.shortage) return {*std::move(all.shortage), nullptr};
      return plan(std::move(all));
    }
    Attempt none = attempt(0);
    if (!none.shortage) return plan(std::move(none));
    if (all.shortage) {
      return {lesser_shortage(*std::move(none.shortage), *std::move(all.shortage)), nullptr};
    }
    std::size_t low = 0;  // does not fit; `all` does
    std::size_t high = ranked_.size();
    while (low + 1 < high) {
      const std::size_t middle = low + (high - low) / 2;
      Attempt tried = attempt(middle);
      if (tried.shortage) {
        low = middle;
      } else {
        high = middle;
        all = std::move(tried);
      }
    }
    return plan(std::move(all));
  }

 private:
  /// The first `chosen` of the ranked tensors compressed or moved.
  struct Attempt {
    std::size_t chosen = 0;
    Compression compression;
    CostTable costs;
    std::vector<Restoration> away;  ///< in the order in which they return
    std::optional<OutOfMemory> shortage;
  };

  [[nodiscard]] bool moves() const { return problem_.options.lms_action == LmsAction::kBoth; }

  void check() const {
    check_lms_options(problem_.options);
    const Dtype dtype = problem_.graph.network->dtype;
    if (dtype == Dtype::kFloat32) return;
    option_error("--lms-action", "compression of " + std::string(dtype_info(dtype).name),
                 "a network of float32", "only float32 is compressed, to float16");
  }

  [[nodiscard]] bool can_compress(TensorId tensor) const {
    const TensorRole role = problem_.graph.tensors[tensor.at()].role;
    const bool values = role == TensorRole::kActivation || role == TensorRole::kReserve;
    return values && problem_.costs.tensor_bytes[tensor.at()].count() > 0;
  }

  [[nodiscard]] PlanningProblem problem_of(const Attempt& trial) const {
    return {.graph = trial.compression.graph,
            .costs = trial.costs,
            .budget = problem_.budget,
            .options = problem_.options};
  }

  Attempt attempt(std::size_t count) const {
    Attempt trial{.chosen = count, .compression = {}, .costs = {}, .away = {}, .shortage = {}};
    std::vector<bool> chosen(problem_.graph.tensors.size());
    for (std::size_t i = 0; i < count; ++i) chosen[ranked_[i].at()] = true;
    std::vector<TensorId> compressed;  // in the order of return
    for (const TensorId tensor : find_candidates(problem_.graph)) {
      if (chosen[tensor.at()] && can_compress(tensor)) compressed.push_back(tensor);
    }
    trial.compression = compress_tensors(problem_.graph, compressed);
    trial.costs = request_.costs_of(trial.compression);
    if (moves()) {
      std::size_t next = 0;
      for (const TensorId tensor : find_candidates(problem_.graph)) {
        if (!chosen[tensor.at()]) continue;
        if (can_compress(tensor)) {
          const CompressedTensor& made = trial.compression.tensors[next++];
          trial.away.push_back({.moved = made.compressed, .used = made.restored});
        } else {
          trial.away.push_back({.moved = tensor, .used = tensor});
        }
      }
    }
    std::vector<TensorId> away;
    for (const Restoration& restoration : trial.away) away.push_back(restoration.moved);
    const PlanningProblem problem = problem_of(trial);
    trial.shortage = task_shortage(problem, footprint_without(problem, away));
    return trial;
  }

  RoundsResult plan(Attempt trial) const {
    if (trial.chosen == 0) return {build_task_plan(problem_, {}), nullptr};
    const PlanningProblem problem = problem_of(trial);
    std::vector<TensorId> away;
    for (const Restoration& restoration : trial.away) away.push_back(restoration.moved);
    MemoryLedger ledger(footprint_without(problem, away).bytes());
    PlanResult plan = build_task_plan(problem, chain_restorations(problem, ledger, trial.away));
    return {std::move(plan),
            std::make_shared<const Rounds>(Rounds{.sub_batch = problem_.costs.batch,
                                                  .count = 1,
                                                  .graph = std::move(trial.compression.graph),
                                                  .costs = std::move(trial.costs)})};
  }

  const CompressionRequest& request_;
  const PlanningProblem& problem_;
  std::vector<TensorId> ranked_;
};

}  // namespace

RoundsResult plan_with_compression(const CompressionRequest& request) {
  return CompressionPlanner(request).run();
}

}  // namespace ooc
