// What training keeps and moves for each parameter: weights, gradients, master copy, the optimiser's state.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "model/base/dtype.hpp"
#include "model/base/optimizer.hpp"
#include "model/network/network.hpp"

namespace ooc {

/// Bytes a parameter.
struct ParameterBytes {
  std::int64_t weight = 4;
  std::int64_t gradient = 4;
  std::int64_t master = 0;        ///< float32 copy that the optimiser updates
  bool gradient_is_said = false;  ///< whatever the type of the weights
};

/// What software keeps of gradients beside them: where they wait for other devices, even where there are none, and in the
/// type that the optimiser updates in.
struct GradientBuffers {
  static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  std::int64_t buckets = 0;  ///< of so many parameters, static
  std::int64_t copies =
      0;  ///< bytes a parameter, while it is updated, where there are master copies
  std::int64_t group = kAll;  ///< parameters that are updated at once
  std::int64_t norms = 0;     ///< bytes a parameter of a layer, while its gradient's norm is taken
  bool keeps_holes = false;   ///< a caching allocator: what was freed stays reserved
};

/// Workspace of an update, where there are master copies. First, of a layer of `largest` parameters, what its norm takes;
/// then, of a group of `learnt`, copies of gradients: those in 16 bits, then those in float32.
[[nodiscard]] std::int64_t update_copies(const GradientBuffers& buffers, std::int64_t learnt,
                                         std::int64_t largest);

/// As the network's precision says, else weights and gradients in its type. `gradient`: the type of the gradients
/// instead.
[[nodiscard]] ParameterBytes parameter_bytes(const Network& network,
                                             std::optional<Dtype> gradient = {});

/// Of a layer of the network: adapters may have a type of their own, of gradients, too. In float32 they are what the
/// optimiser updates.
[[nodiscard]] ParameterBytes bytes_of_layer(const ParameterBytes& each, std::optional<Dtype> own);
[[nodiscard]] inline ParameterBytes bytes_of_layer(const ParameterBytes& each,
                                                   const LayerModel& layer) {
  return bytes_of_layer(each, layer.parameter_type);
}

/// Of a layer's weights, as they are kept: frozen ones may be stored in fewer bytes.
[[nodiscard]] std::int64_t weight_bytes(const ParameterBytes& each, const LayerModel& layer);

/// Bytes of the optimiser's state for a layer's parameters, without a master copy.
[[nodiscard]] std::int64_t state_bytes(Optimizer optimizer, const Network& network,
                                       const LayerModel& layer);

}  // namespace ooc
