// What OOC-Paleo's closed forms say of a run that was simulated: the iteration as a chain of layers, by the
// equations of model/analytic, and in words what those leave out of this run.
#pragma once

#include <optional>

#include "model/analytic/closed_forms.hpp"
#include "model/base/copy_rules.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// A run as the closed forms see it: what no price of copies changes, and what the last prices came to.
struct PaperChain {
  /// Of a tensor that backward reads and that leaves.
  struct Move {
    TensorId tensor;
    std::optional<std::size_t> writer;  ///< the layer's place; none: a network input
    std::size_t reader = 0;
  };
  std::optional<bool> is_chain;         ///< none: not yet looked at
  std::vector<ChainLayer> layers;       ///< from the input on; copies by the last prices
  std::vector<BackwardLayer> backward;  ///< from the loss on
  std::vector<Move> moves;
  Bytes retained;  ///< of what backward reads, what never leaves near memory
  Duration forward;
  Duration updates;
  bool small_copies_slower = false;  ///< some of the copies in do not run at the link's rate
};

struct PaperEstimateInput {
  ClosedForm form = ClosedForm::kNone;
  const TrainingGraph& graph;  ///< of which the plan is
  const CostTable& costs;
  const Plan& plan;            ///< one that runs
  std::int64_t rounds = 1;     ///< that the plan has
  bool pageable = false;       ///< copies and computing exclude each other
  CopyRules copies = {};       ///< of the framework
  bool notes = true;           ///< whether what is left out is wanted
  PaperChain* kept = nullptr;  ///< of an earlier call with the same plan, or a new one
};

/// None where the schedule has no closed form.
[[nodiscard]] std::optional<PaperEstimate> paper_estimate(const PaperEstimateInput& input);

}  // namespace ooc
