// The discrete-event engine: runs a plan against costs. Semantics: docs/architecture.md, 2.
#pragma once

#include <variant>

#include "model/cost/cost_table.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

enum class Allocator {
  kIdeal,     ///< a byte counter
  kFirstFit,  ///< addresses, 512 B aligned, coalescing on free
  kBestFit,
};

struct SimulationInput {
  const Plan& plan;
  const CostTable& costs;
  Bytes budget;  ///< near memory per device, static bytes included
  Allocator allocator = Allocator::kIdeal;
};

/// The run stopped: no step is running and no head of a queue can start.
struct Blocked {
  StepId step;         ///< the head that was ready first
  Bytes wanted;
  Bytes free;
  Bytes largest_hole;
  std::vector<BlockId> holders;  ///< blocks still held on its device, largest first
};

using Outcome = std::variant<Timeline, Blocked>;

[[nodiscard]] Outcome simulate(const SimulationInput& input);

}  // namespace ooc
