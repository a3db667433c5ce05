// Typed indices. A missing index is an empty std::optional, never -1.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace ooc {

template <class Tag>
struct Id {
  std::int32_t index = 0;
  friend constexpr auto operator<=>(Id, Id) = default;
  /// Returns the index as the type of subscripts.
  [[nodiscard]] constexpr std::size_t at() const { return static_cast<std::size_t>(index); }
};

using InputId = Id<struct InputTag>;    ///< into Network::inputs
using LayerId = Id<struct LayerTag>;    ///< into Network::layers
using TaskId = Id<struct TaskTag>;      ///< into TrainingGraph::tasks, in execution order
using TensorId = Id<struct TensorTag>;  ///< into TrainingGraph::tensors
using StepId = Id<struct StepTag>;      ///< into Plan::steps, in sequence order
using BlockId = Id<struct BlockTag>;    ///< into Plan::blocks

template <class SomeId>
[[nodiscard]] constexpr SomeId make_id(std::size_t index) {
  return SomeId{static_cast<std::int32_t>(index)};
}

}  // namespace ooc
