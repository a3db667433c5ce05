// Bytes that training stores for each parameter: weights, gradients, master copy, optimiser state.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "model/base/precision.hpp"
#include "model/network/network.hpp"

namespace ooc {

/// Types that override those of the network's precision. Unset: by the precision.
struct ParameterTypes {
  std::optional<Dtype> gradient = {};
  std::optional<std::optional<Dtype>> master =
      {};                           ///< type of the master copy; set without a type: no copy
  std::optional<Dtype> state = {};  ///< type of the states of momentum and adam

  bool operator==(const ParameterTypes&) const = default;
};

/// Bytes a parameter.
struct ParameterBytes {
  std::int64_t weight = 4;
  std::int64_t gradient = 4;
  std::int64_t master = 0;  ///< copy that the optimiser updates; 0: none
  std::int64_t state = 4;   ///< one optimiser state; Adam has two
  bool gradient_is_said =
      false;  ///< true: ParameterTypes sets the gradient's type; false: as a layer's own weights
  bool state_as_weight = false;  ///< true: a state has the type of its layer's weights
};

/// Returns whole / shards, rounded up since software pads.
[[nodiscard]] inline std::int64_t share_of_shard(std::int64_t whole, int shards) {
  return (whole + shards - 1) / shards;
}

/// Memory that software uses beside the gradients: buckets for the exchange with other devices
/// (also on one device), and copies in the optimiser's type.
struct GradientBuffers {
  static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  std::int64_t buckets = 0;   ///< number of parameters in buckets; static memory
  bool exchanged = false;     ///< true: buckets for all, if devices exchange whole gradients
  std::int64_t copies = 0;    ///< bytes of copies a parameter in its update, with master copies
  std::int64_t group = kAll;  ///< number of parameters in one update
  std::int64_t norms = 0;     ///< bytes a parameter of a layer, while its gradient norm is computed
  bool keeps_holes = false;   ///< true: the caching allocator keeps freed memory reserved
  int state_shards = 1;       ///< devices that share the state, each with a part of the update
  int weight_shards = 1;      ///< devices that share each layer's weights and gradient
};

/// Returns the workspace in bytes of an update of `learnt` parameters with master copies. In order of allocation: the
/// gradient norm of the largest layer, of `largest` parameters; copies of gradients in 16 bits; copies in float32.
[[nodiscard]] std::int64_t update_copies(const GradientBuffers& buffers, std::int64_t learnt,
                                         std::int64_t largest);

/// Returns the bytes by the network's precision; without one, weights and gradients have the network's type.
[[nodiscard]] ParameterBytes parameter_bytes(const Network& network,
                                             const ParameterTypes& types = {});

/// Returns the bytes for a layer whose parameters have type `own`, as adapters may. A type as large
/// as the master copy needs no master copy. `own` unset: `each` as it is.
[[nodiscard]] ParameterBytes bytes_of_layer(const ParameterBytes& each, std::optional<Dtype> own);
[[nodiscard]] inline ParameterBytes bytes_of_layer(const ParameterBytes& each,
                                                   const LayerModel& layer) {
  return bytes_of_layer(each, layer.parameter_type);
}

/// Returns the bytes of a layer's weights as stored; frozen weights may be quantised.
[[nodiscard]] std::int64_t weight_bytes(const ParameterBytes& each, const LayerModel& layer);

/// Returns the bytes of optimiser states of a layer, without the master copy.
[[nodiscard]] std::int64_t state_bytes(Optimizer optimizer, const ParameterBytes& each,
                                       const LayerModel& layer);

}  // namespace ooc
