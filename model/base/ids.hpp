// Indices, a type for each table. A missing index is an unset std::optional, never -1.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace ooc {

template <class Tag>
struct Id {
  std::int32_t index = 0;
  friend constexpr auto operator<=>(Id, Id) = default;
  /// Returns the index as std::size_t, for subscripts.
  [[nodiscard]] constexpr std::size_t at() const { return static_cast<std::size_t>(index); }
};

using InputId = Id<struct InputTag>;    ///< index into Network::inputs
using LayerId = Id<struct LayerTag>;    ///< index into Network::layers
using TaskId = Id<struct TaskTag>;      ///< index into TrainingGraph::tasks, in execution order
using TensorId = Id<struct TensorTag>;  ///< index into TrainingGraph::tensors
using StepId = Id<struct StepTag>;      ///< index into Plan::steps, in sequence order
using BlockId = Id<struct BlockTag>;    ///< index into Plan::blocks

template <class SomeId>
[[nodiscard]] constexpr SomeId make_id(std::size_t index) {
  return SomeId{static_cast<std::int32_t>(index)};
}

}  // namespace ooc
