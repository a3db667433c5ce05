// Tensors that spend the time between the forward and the backward pass in half their bytes: float32
// values as float16. Like an iteration in rounds (rounds.hpp) it is written out as one training
// graph: behind the last forward task that uses such a tensor one that compresses it, before the first
// backward task one that restores it, into a tensor of its own that the backward tasks then read. So
// plans, checks, engine and reports need not know of it (docs/notebook/0006-added-tasks.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

struct CompressedTensor {
  TensorId source;  ///< of the network, in both graphs
  TensorId compressed;
  TensorId restored;
};

struct Compression {
  TrainingGraph graph;                         ///< tensors of the network first
  std::vector<CompressedTensor> tensors;       ///< as they were chosen
  std::vector<std::optional<TaskId>> task_of;  ///< by task: the network's; none: added
};

/// `graph`: one round, one device. `chosen` are used in both passes.
[[nodiscard]] Compression compress_tensors(const TrainingGraph& graph,
                                           const std::vector<TensorId>& chosen);

/// A task that goes through memory once: so many FLOPs, so many bytes read and written.
using ElementwiseCost = std::function<TaskAlternative(std::int64_t flops, std::int64_t bytes)>;

/// Without transfers. `costs`: the network's.
[[nodiscard]] CostTable compressed_costs(const Compression& compression, const CostTable& costs,
                                         const ElementwiseCost& elementwise);

}  // namespace ooc
