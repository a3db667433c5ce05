// The blocks of a network along its forward pass.
#pragma once

#include <cstdint>
#include <vector>

#include "model/graph/training_graph.hpp"

namespace ooc {

/// By forward task: the number of its block. A block is a series of tasks whose layers have one block_name(); a layer
/// without is one by itself.
[[nodiscard]] std::vector<std::uint32_t> blocks_of_tasks(const TrainingGraph& graph);

/// By forward task: whether its layer is in a block that counts, as the blocks that users wrap do; what lies before,
/// between and behind them (embedding, final norm, head, loss) is in none. All are where no name counts.
[[nodiscard]] std::vector<bool> wrapped_tasks(const TrainingGraph& graph);

}  // namespace ooc
