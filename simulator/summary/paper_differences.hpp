// Where a run and OOC-Paleo's total for it differ: by which assumption, and how long each of them is worth.
#pragma once

#include <vector>

#include "simulator/summary/paper_estimate.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

/// Phases of a run on one device in one round.
struct Phases {
  Duration turn;          ///< end of the last forward task
  Duration backward;      ///< start of the first backward task
  Duration backward_end;  ///< end of the last backward task
};
[[nodiscard]] Phases phases_of(const Plan& plan, const TrainingGraph& graph,
                               const Timeline& timeline);

struct DifferencesInput {
  ClosedForm form = ClosedForm::kCapacity;
  Duration estimate;  ///< by that form
  const PaperChain& chain;
  const TrainingGraph& graph;
  const CostTable& costs;
  const Plan& plan;
  const Timeline& timeline;
};

/// Those that are not 0, in the order of the iteration; their sum is the run's time less the estimate.
[[nodiscard]] std::vector<PaperEstimate::Difference> paper_differences(
    const DifferencesInput& input);

}  // namespace ooc
