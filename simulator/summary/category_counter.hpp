// Near memory by category while a run is gone through step by step: which blocks are held, and for what.
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/csr.hpp"
#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/summary/memory_category.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

/// Whether what the step reads is there for the backward pass: its own tasks, tasks that run again for it,
/// and what compresses and restores tensors.
[[nodiscard]] bool reads_for_backward(const Step& step, const TrainingGraph& graph);
/// What is neither under way nor unused.
[[nodiscard]] MemoryCategory category_of(const Tensor& tensor, bool read_by_backward);

class CategoryCounter {
 public:
  /// All static bytes are held from the start.
  CategoryCounter(const Plan& plan, const TrainingGraph& graph, const std::vector<Span>& spans);

  enum class Taker { kNobody, kCompute, kCopy };
  void take(BlockId block, Taker taker);
  void give_back(BlockId block);
  /// What the step held back for the backward pass is no longer needed by it, what it copied is there.
  /// Called before its blocks are given back.
  void end(StepId step);
  [[nodiscard]] const BytesByCategory& on_device(std::size_t device) const { return held_[device]; }

 private:
  void find_readers(const std::vector<Span>& spans);
  void settle(BlockId block);
  [[nodiscard]] BytesByCategory& held_with(const Block& block) {
    return held_[static_cast<std::size_t>(block.device)];
  }

  const Plan& plan_;
  const TrainingGraph& graph_;
  Csr<StepId, BlockId> keeps_;          ///< the blocks whose contents it passes on to backward
  std::vector<std::int32_t> keepers_;   ///< by block: those that have not ended
  std::vector<bool> is_held_;           ///< by block
  std::vector<MemoryCategory> counts_;  ///< by block, while it is held
  std::vector<BytesByCategory> held_;   ///< by device
};

}  // namespace ooc
