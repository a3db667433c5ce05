// Tensors that spend the time between the forward and the backward pass in half their bytes: float32
// values as float16. Behind the last forward task that uses such a tensor one that compresses it, before the first
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
  TensorId source;  ///< tensor of the network, in both graphs
  TensorId compressed;
  TensorId restored;
};

struct Compression {
  TrainingGraph graph;                         ///< tensors of the network first
  std::vector<CompressedTensor> tensors;       ///< in the order in which they were chosen
  std::vector<std::optional<TaskId>> task_of;  ///< by task: the network's task; unset: added
};

/// `graph`: one device, no gradient accumulation. `chosen`: tensors that both passes use.
[[nodiscard]] Compression compress_tensors(const TrainingGraph& graph,
                                           const std::vector<TensorId>& chosen);

/// Returns the cost of a task that passes once through memory; `bytes` are read and written.
using ElementwiseCost = std::function<TaskAlternative(std::int64_t flops, std::int64_t bytes)>;

/// Returns costs without transfers. `costs`: of the network's graph.
[[nodiscard]] CostTable compressed_costs(const Compression& compression, const CostTable& costs,
                                         const ElementwiseCost& elementwise);

}  // namespace ooc
