// The discrete-event engine: runs a plan against costs. Semantics: docs/architecture.md, 2.
//
// At one instant t the engine works in rounds: everything that ends at t ends, the blocks whose
// last releaser has ended are freed, then heads of queues start in the order (time they became
// ready, sequence). A zero-length step that starts at t ends in a further round at t.
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
  kIdeal,     ///< a byte counter
  kFirstFit,  ///< addresses, 512 B aligned, coalescing on free
  kBestFit,
  kCaching,  ///< as PyTorch's: segments from the driver, kept
};

struct SimulationInput {
  const Plan& plan;
  const CostTable& costs;
  Bytes budget;  ///< near memory per device, static bytes included
  Allocator allocator = Allocator::kIdeal;
  bool records = false;  ///< Timeline::events
};

/// Records. Throws SpecError when the iteration would last longer than 146 years (2^62 ns).
[[nodiscard]] Outcome simulate(const SimulationInput& input);

/// What a run needs to write. Reused from run to run, nothing is allocated: sweeps do that.
struct SimulationBuffers {
  Timeline timeline;  ///< the result, unless the run was blocked
  LinkBuffers link;
  MemoryBuffers memory;
  std::vector<std::int64_t> issued;
  std::vector<std::int64_t> pinning;
};

/// The same, recording where asked to; the timeline is left in `buffers`.
[[nodiscard]] std::optional<Blocked> simulate(const SimulationInput& input,
                                              SimulationBuffers& buffers);

}  // namespace ooc
