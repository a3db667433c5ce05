// Compression of tensors between the forward and the backward pass: float32 values as float16, half
// the bytes. A task after the last forward use compresses the tensor. A task before the first
// backward use restores it into a new tensor, which the backward tasks then read. So plans, checks,
// engine and reports need not know of it (docs/notebook/0006-added-tasks.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

struct CompressedTensor {
  TensorId source;  ///< tensor of the network, with one id in both graphs
  TensorId compressed;
  TensorId restored;
};

struct Compression {
  TrainingGraph graph;                         ///< tensors of the network first, then added ones
  std::vector<CompressedTensor> tensors;       ///< in the order in which a schedule chose them
  std::vector<std::optional<TaskId>> task_of;  ///< by task: the network's task; unset: added
};

/// Returns the new graph. `graph`: one device, no gradient accumulation. `chosen`: tensors that both passes use.
[[nodiscard]] Compression compress_tensors(const TrainingGraph& graph,
                                           const std::vector<TensorId>& chosen);

/// Returns the cost of an element-wise task of `flops` FLOPs that reads and writes `bytes` in all.
using ElementwiseCost = std::function<TaskAlternative(std::int64_t flops, std::int64_t bytes)>;

/// Returns the costs of the new graph, without transfers. `costs`: of the network's graph.
[[nodiscard]] CostTable compressed_costs(const Compression& compression, const CostTable& costs,
                                         const ElementwiseCost& elementwise);

}  // namespace ooc
