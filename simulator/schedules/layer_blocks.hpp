// Which layers people would call a block, or in transformers "a layer": by their names, for there is nothing else that
// frameworks go by.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/graph/training_graph.hpp"

namespace ooc {

/// The first part of a name that counts something, with all before it: "blocks/3" of "blocks/3/ff1", "layer1_0" of
/// "layer1_0_bn2", "mixed5b" of "mixed5b_1x1_bn"; empty where there is no part behind it ("conv1").
[[nodiscard]] std::string_view block_name(std::string_view layer);

/// By forward task: the number of its block. A block is a series of tasks whose layers have one block_name(); a layer
/// without is one by itself.
[[nodiscard]] std::vector<std::uint32_t> blocks_of_tasks(const TrainingGraph& graph);

}  // namespace ooc
