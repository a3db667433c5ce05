// Goes through the copies in the order of time up to the first one too many.
#include "simulator/predict/far_overflow.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/plan/plan_text.hpp"
#include "simulator/summary/memory_use.hpp"

namespace ooc {
namespace {

/// What is there all the time.
std::vector<OutOfMemory::Holder> far_homes(const TrainingGraph& graph, const FarMemory& memory) {
  OutOfMemory::Holder optimizer{.name = "optimizer state", .bytes = {}};
  OutOfMemory::Holder weights{.name = "weights", .bytes = {}};
  OutOfMemory::Holder sums{.name = "sums of gradients", .bytes = {}};
  OutOfMemory::Holder buffers{.name = "buffers of gradients", .bytes = {}};
  for (const BlockId id : memory.initial) {
    const Block& block = memory.blocks[id.at()];
    const Tensor& tensor = graph.tensors[static_cast<std::size_t>(block.object)];
    OutOfMemory::Holder& holder = tensor.role == TensorRole::kWeight           ? weights
                                  : tensor.role == TensorRole::kOptimizerState ? optimizer
                                  : tensor.home == TensorHome::kFar            ? sums
                                                                               : buffers;
    holder.bytes += block.bytes;
  }
  std::vector<OutOfMemory::Holder> homes{optimizer, weights, sums, buffers};
  std::erase_if(homes, [](const auto& holder) { return holder.bytes == Bytes(0); });
  return homes;
}

void most_first(std::vector<OutOfMemory::Holder>& holders) {
  std::stable_sort(holders.begin(), holders.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
}

}  // namespace

OutOfMemory far_overflow(const Case& which, const CaseRun& run, const Timeline& timeline,
                         Bytes peak) {
  const Plan& plan = std::get<Plan>(run.plan);
  const Iteration& about = run.about(which);
  const TrainingGraph& graph = *about.graph;
  const FarMemory memory = far_memory(plan, graph, about.costs);
  const std::int64_t capacity = which.far_capacity.count();
  OutOfMemory oom{.step = "copies out",
                  .wanted = peak,
                  .free = Bytes(0),
                  .largest_hole = Bytes(0),
                  .holders = {},
                  .smallest_budget = peak,
                  .tier = OutOfMemory::Tier::kFar};
  oom.holders = far_homes(graph, memory);
  std::int64_t used = 0;
  for (const OutOfMemory::Holder& holder : oom.holders) used += holder.bytes.count();
  if (used > capacity) {
    oom.step = "the start";  // what is in far memory all the time
    oom.wanted = Bytes(used);
    oom.free = oom.largest_hole = Bytes(capacity);
    most_first(oom.holders);
    return oom;
  }
  OutOfMemory::Holder gradients{.name = "gradients that have come", .bytes = {}};
  OutOfMemory::Holder others{.name = "activations", .bytes = {}};
  std::vector<std::int64_t> left(memory.blocks.size());  // steps that give a block which is there
  std::optional<StepId> refused;
  for (const auto& [step, ends] : events_of(timeline.spans)) {
    for (const BlockId id : ends ? memory.gives[step] : memory.takes[step]) {
      if (ends && --left[id.at()] != 0) continue;
      if (!ends) left[id.at()] = static_cast<std::int64_t>(memory.givers[id].size());
      const Block& block = memory.blocks[id.at()];
      if (!ends && used + block.bytes.count() > capacity) {
        oom.step = step_name(plan, graph, step);
        oom.wanted = block.bytes;
        oom.free = oom.largest_hole = Bytes(capacity - used);
        refused = step;
        break;
      }
      const Bytes change = block.bytes * (ends ? -1 : 1);
      used += change.count();
      const Tensor& tensor = graph.tensors[static_cast<std::size_t>(block.object)];
      (tensor.role == TensorRole::kWeightGradient ? gradients : others).bytes += change;
    }
    if (refused) break;
  }
  for (const OutOfMemory::Holder& holder : {gradients, others}) {
    if (which.moving && holder.bytes > Bytes(0)) oom.holders.push_back(holder);
  }
  most_first(oom.holders);
  return oom;
}

}  // namespace ooc
