// Tensors cut into parts, for memory that moves by pages: of a tensor that is larger than a part, one part
// may be near while another is not. Like an iteration in rounds (rounds.hpp) it is written out as one
// training graph, in which every part is a tensor of its own that the same tasks read and write
// (docs/adr/0007-unified-memory.md). So plans, checks, engine and reports need not know of it.
#pragma once

#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

struct Parts {
  std::vector<std::int32_t> first;  ///< by tensor: the index of its first part; plus one at the end
};

/// As few parts of equal size as make none larger than `largest`.
[[nodiscard]] Parts cut_tensors(const std::vector<Bytes>& tensor_bytes, Bytes largest);

/// The same tasks on the parts.
[[nodiscard]] TrainingGraph cut_graph(const TrainingGraph& graph, const Parts& parts);
/// The same costs at any batch, with the bytes of the parts; without transfers.
[[nodiscard]] CostTable cut_costs(const CostTable& costs, const Parts& parts);

}  // namespace ooc
