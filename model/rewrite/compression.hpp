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
  TensorId source;      ///< tensor of the network; its id is the same in both graphs
  TensorId compressed;  ///< tensor of Compression::graph, half the bytes
  TensorId restored;    ///< tensor of Compression::graph that backward tasks read
};

struct Compression {
  TrainingGraph graph;                         ///< with the network's tensors first
  std::vector<CompressedTensor> tensors;       ///< in the order of `chosen`
  std::vector<std::optional<TaskId>> task_of;  ///< by task: the network's; unset: added
};

/// Returns the new graph. `chosen`: float32 tensors of layers that both passes use. Precondition: one micro-batch.
[[nodiscard]] Compression compress_tensors(const TrainingGraph& graph,
                                           const std::vector<TensorId>& chosen);

/// Function that returns the cost of an element-wise task of `flops` FLOPs and `bytes` of memory traffic.
using ElementwiseCost = std::function<TaskAlternative(std::int64_t flops, std::int64_t bytes)>;

/// Returns the costs of Compression::graph, without copy costs. `costs`: of the network's graph.
[[nodiscard]] CostTable compressed_costs(const Compression& compression, const CostTable& costs,
                                         const ElementwiseCost& elementwise);

}  // namespace ooc
