// Blocks of a network along its forward pass.
#pragma once

#include <cstdint>
#include <vector>

#include "model/graph/training_graph.hpp"

namespace ooc {

/// Returns the block number by forward task. A block is a run of tasks whose layers share a
/// block_name(). A layer without one is a block.
[[nodiscard]] std::vector<std::uint32_t> blocks_of_tasks(const TrainingGraph& graph);

/// Returns by forward task whether its layer is in a numbered block, as users wrap blocks.
/// Embedding, final norm, head and loss are in none. If no name has a number, all are.
[[nodiscard]] std::vector<bool> wrapped_tasks(const TrainingGraph& graph);

}  // namespace ooc
