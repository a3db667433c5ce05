// In the order of the tasks.
#include "simulator/schedules/layer_blocks.hpp"

#include <algorithm>
#include <string_view>

#include "model/network/block_name.hpp"

namespace ooc {

std::vector<std::uint32_t> blocks_of_tasks(const TrainingGraph& graph) {
  std::vector<std::uint32_t> blocks;
  std::string_view previous;
  std::uint32_t block = 0;
  for (std::size_t i = 0; i < graph.forward_tasks; ++i) {
    const Layer& layer = graph.network->layers[graph.tasks[i].layer.at()];
    const std::string_view name = block_name(layer.name);
    if (i > 0 && (name.empty() || name != previous)) ++block;
    previous = name;
    blocks.push_back(block);
  }
  return blocks;
}

std::vector<bool> wrapped_tasks(const TrainingGraph& graph) {
  std::vector<bool> wrapped;
  for (std::size_t i = 0; i < graph.forward_tasks; ++i) {
    const Layer& layer = graph.network->layers[graph.tasks[i].layer.at()];
    wrapped.push_back(!block_name(layer.name).empty());
  }
  const bool none = std::find(wrapped.begin(), wrapped.end(), true) == wrapped.end();
  if (none) wrapped.assign(wrapped.size(), true);
  return wrapped;
}

}  // namespace ooc
