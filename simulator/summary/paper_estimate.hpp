// OOC-Paleo's closed forms for a run that was simulated: the iteration as a row of layers in the order in which
// they run, by the equations of model/analytic, and what the run takes longer for assumptions that it does not keep.
#pragma once

#include <optional>

#include "model/analytic/closed_forms.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// A run as the closed forms see it: what no link changes, and the copies of the last link.
struct PaperChain {
  /// A tensor that backward reads and that leaves.
  struct Move {
    TensorId tensor;
    std::optional<std::size_t> writer;  ///< the layer's place; unset: a network input
    std::size_t reader = 0;
  };
  bool built = false;
  std::vector<LayerId> order;           ///< by place
  std::vector<ChainLayer> layers;       ///< from the input on; copies of the last link
  std::vector<BackwardLayer> backward;  ///< from the loss on
  std::vector<Move> moves;
  Bytes retained;  ///< of what backward reads, what never leaves near memory
  Duration forward;

  [[nodiscard]] CapacityBackward capacity(BytesPerSecond swap_in) const {
    return {.layers = backward, .retained = retained, .swap_in = swap_in};
  }
  /// (7) of the layer at that place, with the plan's copies in for the next one.
  [[nodiscard]] BackwardSection section(std::size_t place) const {
    return {.processing = layers[place].backward,
            .swap = place == 0 ? Duration(0) : layers[place - 1].copy_in};
  }
};

struct ChainInput {
  const TrainingGraph& graph;  ///< of which the plan is
  const CostTable& costs;
  const Plan& plan;  ///< of one device and one round
};
[[nodiscard]] PaperChain paper_chain(const ChainInput& input);

struct PaperEstimateInput {
  ClosedForm form = ClosedForm::kNone;
  const TrainingGraph& graph;
  const CostTable& costs;
  const Plan& plan;                    ///< one that runs
  std::int64_t rounds = 1;             ///< that the plan has
  const Timeline* timeline = nullptr;  ///< of the plan, for the differences; null: without them
  PaperChain* kept = nullptr;          ///< of an earlier call with the same plan, or a new one
};

/// Why the equations are not about such a plan; empty where they are.
[[nodiscard]] std::string unfit_for_paper(const Plan& plan, std::int64_t rounds);

/// Unset where the schedule has no closed form.
[[nodiscard]] std::optional<PaperEstimate> paper_estimate(const PaperEstimateInput& input);

}  // namespace ooc
