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
  kIdeal,     ///< byte counter, no fragmentation
  kFirstFit,  ///< block in the first hole that is large enough, 512 B aligned
  kBestFit,   ///< block in the smallest hole that is large enough, 512 B aligned
  kCaching,   ///< PyTorch's (caching_memory.hpp)
};

struct SimulationInput {
  const Plan& plan;
  const CostTable& costs;
  Bytes budget;  ///< GPU memory, static bytes included
  Allocator allocator = Allocator::kIdeal;
  bool records = false;  ///< true: `buffers.timeline` gets events
};

/// Runs the plan, with Timeline::events. Throws SpecError if the iteration lasts longer than 146 years (2^62 ns).
[[nodiscard]] Outcome simulate(const SimulationInput& input);

/// Vectors that a run fills. Later runs, as in sweeps, reuse them and allocate nothing.
struct SimulationBuffers {
  Timeline timeline;  ///< result; invalid if the run was blocked
  MemoryBuffers memory;
  std::vector<std::int64_t> issued;
  std::vector<std::int64_t> pinning;
};

/// Runs the plan; `buffers` gets the timeline. Unset: the plan ran to its end. Throws SpecError as above.
/// With kCaching, if CostTable::first_states is not empty, the plan runs twice, and the second iteration counts.
[[nodiscard]] std::optional<Blocked> simulate(const SimulationInput& input,
                                              SimulationBuffers& buffers);

}  // namespace ooc
