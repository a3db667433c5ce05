// offload-layers: what the first N blocks of the network save for backward moves out, all of it, and comes back one block
// ahead: the copies of a block start with backward of the block behind it. Nothing is computed again. N: --layers-moved;
// default: the fewest that fit. A block is what the layers' names say (recompute_choice.hpp).
//
// Example, blocks 0 ... 3, N = 2: what 0 and 1 save leaves as soon as each tensor's last forward use has ended; that of
// 1 comes back from the first backward task of 2 on, that of 0 from the first of 1 on.
//
// When it does not help: where one block saves more than can be copied while the next one runs (it stalls: a look-ahead
// of one is all there is); on chains of single layers each is a block.
//
// Source: Transformer Engine, get_cpu_offload_context(num_layers), as Megatron's --cpu-offloading-num-layers uses it.
// Deviations: a tensor that is used by the very next task does not move; copies in follow each other in the order of need.
#include <algorithm>
#include <optional>
#include <string>

#include "simulator/schedules/move_candidates.hpp"
#include "simulator/schedules/own_options.hpp"
#include "simulator/schedules/recompute_choice.hpp"
#include "simulator/schedules/task_plan.hpp"

namespace ooc {
namespace {

class LayerOffload {
 public:
  explicit LayerOffload(const PlanningProblem& problem)
      : problem_(problem), graph_(problem.graph), candidates_(find_candidates(problem)) {
    const std::vector<std::uint32_t> blocks = blocks_of_tasks(graph_);
    blocks_ = blocks.empty() ? 0 : blocks.back() + std::size_t{1};
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      const auto& writer = graph_.lifetimes[i].first_writer;
      const bool made = writer && writer->at() < blocks.size();
      block_of_.push_back(made ? blocks[writer->at()] : 0);
    }
    find_starts(blocks);
  }

  PlanResult plan() const {
    if (const auto& asked = problem_.options.own->layers_moved) {
      if (*asked < 0) bad_value("--layers-moved", std::to_string(*asked), "an integer >= 0");
      return plan_of(std::min<std::size_t>(static_cast<std::size_t>(*asked), blocks_));
    }
    if (!shortage_of(0)) return plan_of(0);
    if (shortage_of(blocks_)) return plan_of(blocks_);
    return plan_of(nearest_that_fits(std::size_t{0}, blocks_,
                                     [&](std::size_t blocks) { return !shortage_of(blocks); }));
  }

 private:
  /// By block: the task before the first one of its backward pass.
  void find_starts(const std::vector<std::uint32_t>& blocks) {
    starts_.assign(blocks_, graph_.forward_tasks);
    std::vector<std::optional<std::uint32_t>> of_layer(graph_.network->layers.size());
    for (std::size_t t = 0; t < blocks.size(); ++t)
      of_layer[graph_.tasks[t].layer.at()] = blocks[t];
    std::vector<bool> seen(blocks_);
    for (std::size_t t = graph_.forward_tasks; t < graph_.backward_end; ++t) {
      const auto& block = of_layer[graph_.tasks[t].layer.at()];
      if (!block || seen[*block]) continue;
      seen[*block] = true;
      starts_[*block] = t;
    }
  }

  /// In the order of return.
  [[nodiscard]] std::vector<Move> moves_of(std::size_t blocks) const {
    std::vector<Move> moves;
    std::size_t earliest = 0;
    for (const TensorId tensor : candidates_) {
      const std::size_t block = block_of_[tensor.at()];
      if (block >= blocks) continue;
      const std::size_t ahead = block + 1 < blocks_ ? starts_[block + 1] : graph_.forward_tasks;
      const std::size_t needed = graph_.lifetimes[tensor.at()].first_backward_use->at();
      earliest = std::max({earliest, graph_.forward_tasks - 1, ahead - 1});
      earliest = std::min(earliest, needed - 1);
      moves.push_back({.tensor = tensor, .may_return_after = make_id<TaskId>(earliest)});
    }
    return moves;
  }

  [[nodiscard]] std::optional<OutOfMemory> shortage_of(std::size_t blocks) const {
    std::vector<std::optional<TaskId>> back(graph_.tensors.size());
    for (const Move& move : moves_of(blocks)) {
      back[move.tensor.at()] = make_id<TaskId>(move.may_return_after.at() + 1);
    }
    return task_shortage(problem_, footprint_between(problem_, back));
  }

  [[nodiscard]] PlanResult plan_of(std::size_t blocks) const {
    if (auto shortage = shortage_of(blocks)) return *std::move(shortage);
    return build_task_plan(problem_, moves_of(blocks));
  }

  const PlanningProblem& problem_;
  const TrainingGraph& graph_;
  std::vector<TensorId> candidates_;
  std::vector<std::size_t> block_of_;  ///< by tensor: of its first writer
  std::size_t blocks_ = 0;
  std::vector<std::size_t> starts_;  ///< by block: its first backward task
};

PlanResult make_layers_plan(const PlanningProblem& problem) { return LayerOffload(problem).plan(); }

constexpr std::string_view kLayersOptions[] = {"--algorithms", "--layers-moved", "--only"};

}  // namespace

extern const Schedule offload_layers_schedule{
    .name = "offload-layers",
    .summary = "what the first N blocks save moves out and comes back one block ahead",
    .source = "Transformer Engine, get_cpu_offload_context; Megatron",
    .traits = {Trait::kCarriesStateIfAsked, Trait::kMovesOnlyWhatItMust},
    .options = kLayersOptions,
    .make_plan = make_layers_plan,
};

}  // namespace ooc
