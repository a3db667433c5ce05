// A layer of the chain is a forward task and the backward tasks of the same layer. It copies out what it was
// the last to write, and in what its backward tasks are the first to read: that is (7)'s "what layer l-1
// needs", whether backward reads a layer's output, its input or a mask.
//
// Three layers of 50 us forward, 100 us backward, whose outputs of 1 GB backward reads; a copy takes 200 us:
//   (7)-(9):   50 + 200 + 200 + 200  +  200 + 200 + 200 + 100 = 1350 us
//   (10)-(12): all but the first layer's output kept: 3 x 50, then 100 + 100 without a wait; T_catch = 200 us,
//              by when the copy, at the link's rate from the turn on, has arrived: 100 more, 450 us in all.
#include "simulator/summary/paper_estimate.hpp"

#include <algorithm>
#include <variant>
#include <vector>

namespace ooc {
namespace {

/// Each layer reads the one before it and nothing else.
bool is_chain(const Network& network) {
  for (std::size_t i = 0; i < network.execution_order.size(); ++i) {
    const std::vector<Producer>& inputs = network.layers[network.execution_order[i].at()].inputs;
    if (inputs.size() != 1) return false;
    const auto* before = std::get_if<LayerId>(&inputs.front());
    if ((before == nullptr) != (i == 0)) return false;
    if (before != nullptr && *before != network.execution_order[i - 1]) return false;
  }
  return true;
}

class ChainBuilder {
 public:
  ChainBuilder(const PaperEstimateInput& input, PaperChain& chain)
      : input_(input), chain_(chain), place_(input.graph.network->layers.size()) {
    chain_.layers.resize(input.graph.forward_tasks);
    chain_.backward.resize(input.graph.forward_tasks);
    for (std::size_t i = 0; i < input.graph.forward_tasks; ++i) {
      place_[input.graph.tasks[i].layer.at()] = i;
    }
  }

  void build() {
    std::vector<bool> moves(input_.graph.tensors.size());
    for (const Step& step : input_.plan.steps) {
      if (step.kind == StepKind::kCompute) {
        add_task(static_cast<std::size_t>(step.object), input_.costs[step.alternative].time);
      } else if (!runs_task(step.kind)) {
        moves[static_cast<std::size_t>(step.object)] = true;
      }
    }
    for (std::size_t i = 0; i < moves.size(); ++i) {
      if (is_saved(input_.graph, make_id<TensorId>(i))) add_tensor(i, moves[i]);
    }
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
    } else {
      chain_.updates += time;
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

  const PaperEstimateInput& input_;
  PaperChain& chain_;
  std::vector<std::size_t> place_;  ///< by layer: its forward task
};

void price_copies(const PaperEstimateInput& input, PaperChain& chain) {
  const TransferCosts& copies = input.costs.transfers;
  for (ChainLayer& layer : chain.layers) layer.copy_out = layer.copy_in = Duration(0);
  chain.small_copies_slower = false;
  for (const PaperChain::Move& move : chain.moves) {
    const std::size_t tensor = move.tensor.at();
    if (move.writer) chain.layers[*move.writer].copy_out += copies.to_far[tensor].alone;
    const Duration in = copies.to_near[tensor].alone;
    chain.layers[move.reader].copy_in += in;
    const bool asked = input.notes && !chain.small_copies_slower;  // divisions
    if (asked && in > transfer_time(input.costs.tensor_bytes[tensor], copies.to_near_peak)) {
      chain.small_copies_slower = true;
    }
  }
}

std::vector<std::string> left_out(const PaperEstimateInput& input, const PaperChain& chain) {
  std::vector<std::string> notes;
  const bool moves = std::any_of(chain.layers.begin(), chain.layers.end(),
                                 [](const auto& layer) { return layer.copy_in > Duration(0); });
  if (moves && input.form == ClosedForm::kCapacity) {
    notes = {"waits in forward", "copies out after it", "room for copies in"};
    if (chain.small_copies_slower) notes.emplace_back("latency of copies");
    if (!input.costs.transfers.duplex.full()) notes.emplace_back("copies that slow each other");
  }
  if (moves && input.copies.streams != CopyStreams::kOverlap) {
    notes.emplace_back("copies that wait as the framework's do");
  }
  if (moves && input.copies.pinned_cost > Duration(0)) {
    notes.emplace_back("computing that waits while memory is pinned");
  }
  if (moves && input.pageable) notes.emplace_back("that pageable copies stop computing");
  if (chain.updates > Duration(0)) notes.emplace_back("updates of weights");
  return notes;
}

}  // namespace

std::optional<PaperEstimate> paper_estimate(const PaperEstimateInput& input) {
  if (input.form == ClosedForm::kNone) return std::nullopt;
  PaperEstimate estimate;
  const bool sections = input.form == ClosedForm::kVdnnLike;
  estimate.equations = sections ? "7-9" : "10-12";
  if (input.plan.devices > 1) {
    estimate.notes = {"they are about one device"};
    return estimate;
  }
  if (input.rounds > 1) {
    estimate.notes = {"they are about a batch in one round"};
    return estimate;
  }
  PaperChain own;
  PaperChain& chain = input.kept != nullptr ? *input.kept : own;
  if (!chain.is_chain) {
    chain.is_chain = is_chain(*input.graph.network);
    if (*chain.is_chain) ChainBuilder(input, chain).build();
  }
  if (!*chain.is_chain) {
    estimate.notes = {"they are about chains, which this network is not"};
    return estimate;
  }
  // Those of `capacity` ask for the link's rate alone.
  if (sections || input.notes) price_copies(input, chain);
  estimate.time =
      sections
          ? vdnn_like_time(chain.layers)
          : chain.forward + capacity_backward_time({.layers = chain.backward,
                                                    .retained = chain.retained,
                                                    .swap_in = input.costs.transfers.to_near_peak});
  if (input.notes) estimate.notes = left_out(input, chain);
  return estimate;
}

}  // namespace ooc
