// A layer is a forward task and the backward tasks of the same layer, at the place where its forward task runs. It
// copies out what it was the last to write, and in what its backward tasks are the first to read: that is (7)'s
// "what layer l-1 needs", whether backward reads a layer's output, its input or a mask, and whether the layer before
// is the one that it reads. Tasks that run again are no part of the paper: what they write neither moves nor stays.
//
// Three layers of 50 us forward, 100 us backward, whose outputs of 1 GB backward reads; a copy takes 200 us:
//   (7)-(9):   50 + 200 + 200 + 200  +  200 + 200 + 200 + 100 = 1350 us
//   (10)-(12): all but the first layer's output kept: 3 x 50, then 100 + 100 without a wait; T_catch = 200 us,
//              by when the copy, at the link's rate from the turn on, has arrived: 100 more, 450 us in all.
#include "simulator/summary/paper_estimate.hpp"

#include <vector>

#include "simulator/summary/paper_differences.hpp"

namespace ooc {
namespace {

class ChainBuilder {
 public:
  ChainBuilder(const ChainInput& input, PaperChain& chain)
      : input_(input), chain_(chain), place_(input.graph.network->layers.size()) {
    chain_.layers.resize(input.graph.forward_tasks);
    chain_.backward.resize(input.graph.forward_tasks);
    chain_.order.resize(input.graph.forward_tasks);
    for (std::size_t i = 0; i < input.graph.forward_tasks; ++i) {
      chain_.order[i] = input.graph.tasks[i].layer;
      place_[chain_.order[i].at()] = i;
    }
  }

  void build() {
    const std::size_t tensors = input_.graph.tensors.size();
    std::vector<bool> moves(tensors);
    std::vector<bool> again(tensors);
    for (const Step& step : input_.plan.steps) {
      const auto object = static_cast<std::size_t>(step.object);
      if (!runs_task(step.kind)) {
        moves[object] = true;
      } else if (step.recompute) {
        for (const TensorId tensor : input_.graph.writes[TaskId{step.object}]) {
          again[tensor.at()] = true;
        }
      } else {
        add_task(object, input_.costs[step.alternative].time);
      }
    }
    for (std::size_t i = 0; i < tensors; ++i) {
      if (is_saved(input_.graph, make_id<TensorId>(i)) && (moves[i] || !again[i])) {
        add_tensor(i, moves[i]);
      }
    }
    chain_.built = true;
  }

 private:
  [[nodiscard]] std::size_t place_of(std::size_t task) const {
    return place_[input_.graph.tasks[task].layer.at()];
  }
  [[nodiscard]] BackwardLayer& backward_of(std::size_t place) {
    return chain_.backward[chain_.backward.size() - 1 - place];
  }

  void add_task(std::size_t task, Duration time) {
    if (task < input_.graph.forward_tasks) {
      chain_.layers[task].forward += time;
      chain_.forward += time;
    } else if (task < input_.graph.backward_end) {
      chain_.layers[place_of(task)].backward += time;
      backward_of(place_of(task)).time += time;
    }
  }

  void add_tensor(std::size_t tensor, bool moves) {
    const Lifetime& life = input_.graph.lifetimes[tensor];
    const Bytes bytes = input_.costs.tensor_bytes[tensor];
    const std::size_t reader = place_of(life.first_backward_use->at());
    backward_of(reader).bytes += bytes;
    if (!moves) {
      chain_.retained += bytes;
      return;
    }
    std::optional<std::size_t> writer;
    if (life.last_writer) writer = place_of(life.last_writer->at());
    chain_.moves.push_back(
        {.tensor = make_id<TensorId>(tensor), .writer = writer, .reader = reader});
  }

  const ChainInput& input_;
  PaperChain& chain_;
  std::vector<std::size_t> place_;  ///< by layer: its forward task
};

void add_copies(const TransferCosts& copies, PaperChain& chain) {
  for (ChainLayer& layer : chain.layers) layer.copy_out = layer.copy_in = Duration(0);
  for (const PaperChain::Move& move : chain.moves) {
    const std::size_t tensor = move.tensor.at();
    if (move.writer) chain.layers[*move.writer].copy_out += copies.to_far[tensor].alone;
    chain.layers[move.reader].copy_in += copies.to_near[tensor].alone;
  }
}

}  // namespace

PaperChain paper_chain(const ChainInput& input) {
  PaperChain chain;
  ChainBuilder(input, chain).build();
  add_copies(input.costs.transfers, chain);
  return chain;
}

std::string unfit_for_paper(const Plan& plan, std::int64_t rounds) {
  if (plan.devices > 1) return "they are about one device";
  return rounds > 1 ? "they are about a batch in one round" : "";
}

std::optional<PaperEstimate> paper_estimate(const PaperEstimateInput& input) {
  if (input.form == ClosedForm::kNone) return std::nullopt;
  PaperEstimate estimate;
  const bool sections = input.form == ClosedForm::kVdnnLike;
  estimate.equations = sections ? "7-9" : "10-12";
  estimate.unfit = unfit_for_paper(input.plan, input.rounds);
  if (!estimate.unfit.empty()) return estimate;
  PaperChain own;
  PaperChain& chain = input.kept != nullptr ? *input.kept : own;
  if (!chain.built) ChainBuilder({input.graph, input.costs, input.plan}, chain).build();
  // Those of `capacity` ask for the link's rate alone.
  if (sections) add_copies(input.costs.transfers, chain);
  const CapacityBackward capacity = chain.capacity(input.costs.transfers.to_near_peak);
  estimate.time =
      sections ? vdnn_like_time(chain.layers) : chain.forward + capacity_backward_time(capacity);
  if (input.timeline != nullptr) {
    estimate.differences = paper_differences({.form = input.form,
                                              .estimate = *estimate.time,
                                              .chain = chain,
                                              .graph = input.graph,
                                              .costs = input.costs,
                                              .plan = input.plan,
                                              .timeline = *input.timeline});
  }
  return estimate;
}

}  // namespace ooc
