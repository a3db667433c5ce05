// Stays of tensors in near memory, by tensor. See contents.hpp.
#include "simulator/replay/contents.hpp"

#include <algorithm>

#include "model/base/errors.hpp"

namespace ooc {

Contents::Contents(const Plan& plan, const TrainingGraph& graph, const CostTable& costs,
                   const MemoryOrder& order)
    : facts_(plan, graph, costs), stays_(graph.tensors.size()) {
  const auto note = [&](BlockId id) {
    const Block& block = plan.blocks[id.at()];
    if (block.kind != BlockKind::kTensor) return;
    stays_[static_cast<std::size_t>(block.object)].push_back(id);
  };
  for (const BlockId block : plan.initial_blocks) note(block);
  for (const StepId step : order.starts) {
    for (const BlockId block : plan.acquires[step]) {
      facts_.taken_by[block.at()] = step;
      note(block);
    }
  }
}

std::optional<BlockId> Contents::block_of(TensorId tensor, StepId user) const {
  const auto& stays = stays_[tensor.at()];
  const auto taken = [&](BlockId block) { return facts_.taken_before(block, user); };
  auto found = std::find_if(stays.rbegin(), stays.rend(), [&](BlockId block) {
    return taken(block) && facts_.stays_until_end_of(block, user);
  });
  if (found == stays.rend()) found = std::find_if(stays.rbegin(), stays.rend(), taken);
  if (found != stays.rend()) return *found;
  if (stays.empty()) return std::nullopt;
  return stays.front();
}

BlockId Contents::copied(StepId id) const {
  const Step& step = facts_.step(id);
  for (const BlockId taken : facts_.plan.acquires[id]) {
    const Block& block = facts_.block(taken);
    if (block.kind == BlockKind::kTensor && block.object == step.object) return taken;
  }
  const auto block = block_of(TensorId{step.object}, id);
  OOC_CHECK(block.has_value(), "what is copied has a block");
  return *block;
}

std::optional<BlockId> Contents::workspace_of(StepId step) const {
  for (const BlockId block : facts_.plan.acquires[step]) {
    if (facts_.block(block).kind == BlockKind::kWorkspace) return block;
  }
  return std::nullopt;
}

}  // namespace ooc
