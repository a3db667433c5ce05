// Discrete-event engine: runs a plan against costs. Semantics: docs/architecture.md, 3.
//
// The engine works in rounds at each instant t: all steps that end at t end, blocks whose last
// releaser has ended are freed, then heads of queues start by ready time, then by sequence. A step
// of length 0 that starts at t ends in a further round at t.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "simulator/engine/link.hpp"
#include "simulator/engine/near_memory.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

enum class Allocator {
  kIdeal,     ///< byte counter
  kFirstFit,  ///< addresses, 512 B aligned; free neighbours join
  kBestFit,
  kCaching,  ///< PyTorch's (caching_memory.hpp)
};

struct SimulationInput {
  const Plan& plan;
  const CostTable& costs;
  Bytes budget;  ///< GPU memory, static bytes included
  Allocator allocator = Allocator::kIdeal;
  bool records = false;  ///< true: the result has Timeline::events
};

/// Runs the plan once. Throws SpecError if the iteration would last longer than 146 years (2^62 ns).
[[nodiscard]] Outcome simulate(const SimulationInput& input);

/// Memory of a run. Later runs, as in sweeps, reuse it and allocate nothing.
struct SimulationBuffers {
  Timeline timeline;  ///< result; invalid if the run was blocked
  MemoryBuffers memory;
  std::vector<std::int64_t> issued;
  std::vector<std::int64_t> pinning;
};

/// Runs the plan once and leaves the timeline in `buffers`. Unset: the plan ran to its end.
[[nodiscard]] std::optional<Blocked> simulate(const SimulationInput& input,
                                              SimulationBuffers& buffers);

}  // namespace ooc
