// OOC-Paleo's closed forms for a simulated run: the iteration as a chain of layers in execution
// order, its time by model/analytic, and the difference to the run by violated assumption.
#pragma once

#include <optional>
#include <vector>

#include "model/analytic/closed_forms.hpp"
#include "model/rewrite/iteration.hpp"
#include "simulator/summary/run_report.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

/// Run as the closed forms see it: facts that no link changes, and copy times on the link of the last estimate.
struct PaperChain {
  /// Tensor that the plan copies and that backward reads.
  struct Move {
    TensorId tensor;
    std::optional<std::size_t> writer;  ///< index into `order`; unset: network input
    std::size_t reader = 0;             ///< index into `order`: first reader in backward
  };
  bool built = false;                   ///< false: empty, to be filled
  std::vector<LayerId> order;           ///< layers in execution order
  std::vector<ChainLayer> layers;       ///< by position in `order`: times of tasks and copies
  std::vector<BackwardLayer> backward;  ///< the same layers, from the loss on
  std::vector<Move> moves;
  Bytes retained;  ///< saved bytes that neither leave GPU memory nor are recomputed
  Duration forward;

  [[nodiscard]] CapacityBackward capacity(BytesPerSecond swap_in) const {
    return {.layers = backward, .retained = retained, .swap_in = swap_in};
  }
  /// Returns equation (7) for layers[place], with the copies in for the next layer of backward, layers[place - 1].
  [[nodiscard]] BackwardSection section(std::size_t place) const {
    return {.processing = layers[place].backward,
            .swap = place == 0 ? Duration(0) : layers[place - 1].copy_in};
  }
};

struct ChainInput {
  const Iteration& about;  ///< iteration of the plan; precondition: unfit_for_paper() is empty
  const Plan& plan;
};
[[nodiscard]] PaperChain paper_chain(const ChainInput& input);

struct PaperEstimateInput {
  ClosedForm form = ClosedForm::kNone;
  const Iteration& about;              ///< iteration of the plan
  const Plan& plan;                    ///< a plan that runs
  const Timeline* timeline = nullptr;  ///< the run, needed for `differences`; null: they stay empty
  PaperChain* kept = nullptr;          ///< chain of this plan, or an empty one to fill; null: none
};

/// Returns why the equations do not apply to the iteration; empty: they do.
[[nodiscard]] std::string unfit_for_paper(const Iteration& about);

/// Returns the estimate; unset: `form` is kNone. If the equations do not apply, `unfit` is set instead of `time`.
[[nodiscard]] std::optional<PaperEstimate> paper_estimate(const PaperEstimateInput& input);

/// Phases of a run on one device without gradient accumulation. Reruns do not count. Without backward: all are `turn`.
struct Phases {
  Duration turn;          ///< end of the last forward task
  Duration backward;      ///< start of the first backward task
  Duration backward_end;  ///< end of the last backward task
};
[[nodiscard]] Phases phases_of(const Plan& plan, const TrainingGraph& graph,
                               const Timeline& timeline);

}  // namespace ooc
