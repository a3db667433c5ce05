// Runs of plans with the waits of a framework's copies (CopyRules), checked by the laws of all plans.
#pragma once

#include <cstdint>

#include "model/base/copy_rules.hpp"
#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"
#include "tests/support/random_networks.hpp"

namespace ooc::test {

struct PlannedRun {
  const Plan& plan;
  const TrainingGraph& graph;
  const CostTable& costs;
  Bytes budget;
  Duration bound = {};  ///< lower bound on any run
};

/// Runs the plan by these rules and returns its time. Checks that the plan is valid, never blocks and keeps to the
/// budget, that busy and stalls add up to the time, and, if `naive`, that the naive simulator agrees on every instant.
[[nodiscard]] Duration run_waiting(const PlannedRun& planned, const CopyRules& rules, bool naive);

/// Counts runs that are faster although their copies wait for more. On some plans memory that is
/// free at another time is worth more than the waits.
class WaitingRuns {
 public:
  /// Runs with all three kinds of streams, sometimes with memory pinned for every copy out.
  void add(Dice& dice, const PlannedRun& planned);
  /// Checks that at most one pair in `times` was faster.
  void check_rare(std::uint64_t times) const;

 private:
  std::uint64_t pairs_ = 0;
  std::uint64_t quicker_ = 0;
};

}  // namespace ooc::test
