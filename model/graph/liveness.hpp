// GPU-memory footprints of a training graph when nothing moves, under the accounting rules of
// published figures (docs/model.md, 3).
#pragma once

#include <cstdint>
#include <vector>

#include "model/graph/training_graph.hpp"

namespace ooc {

/// Returns, by task, the bytes per sample live while the task runs: its tensors and those that
/// later tasks need. Network inputs live from the start to their last use. Workspace and static
/// bytes are not counted.
[[nodiscard]] std::vector<std::int64_t> live_bytes_per_sample(const TrainingGraph& graph);
/// Returns, by task, the live bytes that do not grow with the batch.
[[nodiscard]] std::vector<std::int64_t> live_bytes_fixed(const TrainingGraph& graph);

/// Returns bytes per sample of all dynamic tensors: the liveness peak; or all outputs and the two
/// largest gradients (kSharedGradients); or all outputs and gradients (kAllGradients).
[[nodiscard]] std::int64_t footprint_per_sample(const TrainingGraph& graph, Accounting accounting);

/// Bytes of weights, their gradients and optimiser states.
[[nodiscard]] std::int64_t static_bytes(const TrainingGraph& graph);

}  // namespace ooc
