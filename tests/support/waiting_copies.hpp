// A plan as software runs it whose copies wait for more than the schedule says (CopyRules), under the laws of all plans.
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
  Duration bound = {};  ///< that no run beats
};

/// Its time by these rules. It is sound, is never blocked, keeps to the budget, and busy and stalls add up to the
/// time; a `naive` simulator agrees on every instant.
[[nodiscard]] Duration run_waiting(const PlannedRun& planned, const CopyRules& rules, bool naive);

/// How often a run is quicker although its copies wait for more: memory that is free at another time may be worth more
/// than what the waits cost, on some plans.
class WaitingRuns {
 public:
  /// All three kinds of streams; a few times with memory that is pinned for every copy out.
  void add(Dice& dice, const PlannedRun& planned);
  /// At most one pair in `times`.
  void check_rare(std::uint64_t times) const;

 private:
  std::uint64_t pairs_ = 0;
  std::uint64_t quicker_ = 0;
};

}  // namespace ooc::test
