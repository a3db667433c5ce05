// A tensor that leaves and comes back, or is made again, has a block for each stay. A block is saved as long
// as somebody will still use just that block for the backward pass: by reading it, or by copying it out. So
// what a schedule drops and makes again counts as saved only when it is there again.
#include "simulator/summary/category_counter.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace ooc {
namespace {

/// When a block is there.
struct Stay {
  BlockId block;
  Duration from;
  Duration until;
};

/// By tensor, in the order of time.
std::vector<std::vector<Stay>> stays_of(const Plan& plan, const TrainingGraph& graph,
                                        const std::vector<Span>& spans) {
  std::vector<Duration> taken(plan.blocks.size());
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    for (const BlockId block : plan.acquires[make_id<StepId>(i)]) {
      taken[block.at()] = spans[i].start;
    }
  }
  std::vector<std::vector<Stay>> stays(graph.tensors.size());
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    if (plan.blocks[i].kind != BlockKind::kTensor) continue;
    const BlockId block = make_id<BlockId>(i);
    Duration until;
    for (const StepId step : plan.releasers[block]) until = std::max(until, spans[step.at()].end);
    stays[static_cast<std::size_t>(plan.blocks[i].object)].push_back({block, taken[i], until});
  }
  for (std::vector<Stay>& each : stays) {
    std::stable_sort(each.begin(), each.end(),
                     [](const Stay& a, const Stay& b) { return a.from < b.from; });
  }
  return stays;
}

/// The last one that is there throughout.
std::optional<BlockId> block_during(const std::vector<Stay>& stays, const Span& span) {
  auto later = std::upper_bound(stays.begin(), stays.end(), span.start,
                                [](Duration at, const Stay& stay) { return at < stay.from; });
  while (later != stays.begin()) {
    --later;
    if (later->until >= span.end) return later->block;
  }
  return std::nullopt;
}

}  // namespace

std::string_view category_name(MemoryCategory category) {
  constexpr std::array<std::string_view, kMemoryCategories> kNames{
      "weights",     "weight_copies",        "gradients", "optimizer", "inputs", "saved",
      "activations", "activation_gradients", "workspace", "in_flight", "unused"};
  return kNames[static_cast<std::size_t>(category)];
}

bool reads_for_backward(const Step& step, const TrainingGraph& graph) {
  if (step.kind != StepKind::kCompute) return false;
  if (step.recompute) return true;
  switch (graph.tasks[static_cast<std::size_t>(step.object)].kind) {
    case TaskKind::kBackward:
    case TaskKind::kBackwardData:
    case TaskKind::kBackwardWeights:
    case TaskKind::kCompress:
    case TaskKind::kDecompress:
      return true;
    case TaskKind::kForward:
    case TaskKind::kUpdate:
    case TaskKind::kReduce:
    case TaskKind::kFarUpdate:
    case TaskKind::kFarAccumulate:
      return false;
  }
  return false;
}

MemoryCategory category_of(const Tensor& tensor, bool read_by_backward) {
  switch (tensor.role) {
    case TensorRole::kInput:
      return MemoryCategory::kInputs;
    case TensorRole::kWeightCopy:
      return MemoryCategory::kWeightCopies;
    case TensorRole::kGradient:
      return MemoryCategory::kActivationGradients;
    case TensorRole::kExchanged:
    case TensorRole::kWeightGradient:
      return MemoryCategory::kGradients;
    case TensorRole::kWeight:
      return MemoryCategory::kWeights;
    case TensorRole::kOptimizerState:
      return MemoryCategory::kOptimizer;
    case TensorRole::kActivation:
    case TensorRole::kMask:
    case TensorRole::kReserve:
      break;
  }
  return read_by_backward ? MemoryCategory::kSaved : MemoryCategory::kActivations;
}

CategoryCounter::CategoryCounter(const Plan& plan, const TrainingGraph& graph,
                                 const std::vector<Span>& spans)
    : plan_(plan),
      graph_(graph),
      keepers_(plan.blocks.size()),
      is_held_(plan.blocks.size()),
      counts_(plan.blocks.size()),
      held_(static_cast<std::size_t>(plan.devices)) {
  find_readers(spans);
  for (BytesByCategory& held : held_) {
    held[MemoryCategory::kWeights] = Bytes(graph.weight_bytes);
    held[MemoryCategory::kOptimizer] = Bytes(graph.optimizer_bytes);
    held[MemoryCategory::kGradients] =
        plan.static_bytes - Bytes(graph.weight_bytes) - Bytes(graph.optimizer_bytes);
  }
}

void CategoryCounter::find_readers(const std::vector<Span>& spans) {
  const auto stays = stays_of(plan_, graph_, spans);
  std::vector<std::pair<StepId, BlockId>> pairs;
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    const Step& step = plan_.steps[i];
    const auto keep = [&](std::size_t tensor) {
      const std::optional<BlockId> block = block_during(stays[tensor], spans[i]);
      if (!block) return;
      pairs.emplace_back(make_id<StepId>(i), *block);
      ++keepers_[block->at()];
    };
    if (step.kind == StepKind::kToFar) {
      keep(static_cast<std::size_t>(step.object));
    } else if (reads_for_backward(step, graph_)) {
      for (const TensorId tensor : graph_.reads[TaskId{step.object}]) keep(tensor.at());
    }
  }
  keeps_ = Csr<StepId, BlockId>(plan_.steps.size(), pairs);
}

/// It counts as what it is now.
void CategoryCounter::settle(BlockId id) {
  const Block& block = plan_.blocks[id.at()];
  MemoryCategory& counts = counts_[id.at()];
  held_with(block)[counts] -= block.bytes;
  counts = block.kind == BlockKind::kWorkspace ? MemoryCategory::kWorkspace
           : block.kind == BlockKind::kGradient
               ? MemoryCategory::kGradients
               : category_of(graph_.tensors[static_cast<std::size_t>(block.object)],
                             keepers_[id.at()] > 0);
  held_with(block)[counts] += block.bytes;
}

void CategoryCounter::take(BlockId id, Taker taker) {
  const Block& block = plan_.blocks[id.at()];
  is_held_[id.at()] = true;
  counts_[id.at()] = MemoryCategory::kInFlight;
  held_with(block)[MemoryCategory::kInFlight] += block.bytes;
  if (taker != Taker::kCopy) settle(id);
}

void CategoryCounter::give_back(BlockId id) {
  is_held_[id.at()] = false;
  held_with(plan_.blocks[id.at()])[counts_[id.at()]] -= plan_.blocks[id.at()].bytes;
}

void CategoryCounter::end(StepId step) {
  for (const BlockId block : keeps_[step]) {
    const bool last = --keepers_[block.at()] == 0;
    if (last && is_held_[block.at()]) settle(block);
  }
  if (runs_task(plan_.steps[step.at()].kind)) return;
  for (const BlockId block : plan_.acquires[step]) settle(block);
}

}  // namespace ooc
