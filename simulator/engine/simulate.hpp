// The discrete-event engine: runs a plan against costs. Semantics: docs/architecture.md, 2.
#pragma once

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

[[nodiscard]] Outcome simulate(const SimulationInput& input);

}  // namespace ooc
