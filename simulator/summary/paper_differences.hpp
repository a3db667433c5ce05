// Differences between a run and its total by OOC-Paleo's equations: the violated assumptions, and the time of each.
#pragma once

#include <vector>

#include "simulator/summary/paper_estimate.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

/// Phases of a run on one device without gradient accumulation.
struct Phases {
  Duration turn;          ///< end of the last forward task
  Duration backward;      ///< start of the first backward task
  Duration backward_end;  ///< end of the last backward task
};
[[nodiscard]] Phases phases_of(const Plan& plan, const TrainingGraph& graph,
                               const Timeline& timeline);

struct DifferencesInput {
  ClosedForm form = ClosedForm::kCapacity;
  Duration estimate;  ///< time by `form`
  const PaperChain& chain;
  const TrainingGraph& graph;
  const CostTable& costs;
  const Plan& plan;
  const Timeline& timeline;
};

/// Returns differences that are not 0, in time order; their sum is simulated time - estimate.
[[nodiscard]] std::vector<PaperEstimate::Difference> paper_differences(
    const DifferencesInput& input);

}  // namespace ooc
