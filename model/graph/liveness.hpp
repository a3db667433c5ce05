// Near-memory footprints of a training graph when nothing moves, under the accounting rules that
// published numbers mix (docs/model.md, 3).
#pragma once

#include <cstdint>
#include <vector>

#include "model/graph/training_graph.hpp"

namespace ooc {

/// Bytes per sample live while each task runs (what it reads and writes and what later tasks still
/// need), in task order; network inputs live from the start to their last use. No workspace, no
/// static bytes.
[[nodiscard]] std::vector<std::int64_t> live_bytes_per_sample(const TrainingGraph& graph);
/// The same of what does not grow with the batch.
[[nodiscard]] std::vector<std::int64_t> live_bytes_fixed(const TrainingGraph& graph);

/// Bytes per sample of all dynamic tensors under an accounting rule: the liveness peak; every
/// output and the two largest gradients; every output and every gradient.
[[nodiscard]] std::int64_t footprint_per_sample(const TrainingGraph& graph, Accounting accounting);

/// Weights + gradients + optimiser state.
[[nodiscard]] std::int64_t static_bytes(const TrainingGraph& graph);

}  // namespace ooc
