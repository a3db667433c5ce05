// Bytes that training stores for each parameter: weights, gradients, master copy, optimiser state.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "model/base/precision.hpp"
#include "model/network/network.hpp"

namespace ooc {

/// Types that override those of the network's precision. Unset: by the precision, or without one the network's type.
struct ParameterTypes {
  std::optional<Dtype> gradient = {};
  /// Type of the master copy, for weights of fewer than 4 bytes. Set, but without a type: no master copy.
  std::optional<std::optional<Dtype>> master = {};
  std::optional<Dtype> state = {};  ///< type of the states of momentum and adam

  bool operator==(const ParameterTypes&) const = default;
};

/// Bytes that training stores for one parameter.
struct ParameterBytes {
  std::int64_t weight = 4;
  std::int64_t gradient = 4;
  std::int64_t master = 0;  ///< copy that the optimiser updates; 0: none
  std::int64_t state = 4;   ///< one optimiser state; Adam has two
  // For layers with a type of their own (bytes_of_layer()):
  bool gradient_is_said = false;  ///< true: their gradients have `gradient` bytes; false: that type
  bool state_as_weight = false;   ///< true: their optimiser states have that type; false: `state`
};

/// Returns whole / shards, rounded up as software pads shards.
[[nodiscard]] inline std::int64_t share_of_shard(std::int64_t whole, int shards) {
  return (whole + shards - 1) / shards;
}

/// Memory that software uses beside the gradients: buckets for the exchange with other devices
/// (also on one device), and copies of gradients in the optimiser's type.
struct GradientBuffers {
  static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  std::int64_t buckets = 0;   ///< parameters with a place in static buckets of gradients; or kAll
  bool exchanged = false;     ///< true: as kAll, if devices exchange whole gradients
  std::int64_t copies = 0;    ///< bytes of gradient copies a parameter of an update; 0: none
  std::int64_t group = kAll;  ///< number of parameters that are updated at a time; or kAll
  std::int64_t norms = 0;     ///< bytes a parameter of a layer while its gradient norm is computed
  bool keeps_holes = false;   ///< true: the caching allocator keeps freed memory reserved
  int state_shards = 1;       ///< devices that share optimiser states; each updates its shard
  int weight_shards = 1;      ///< devices that share each layer's weights and gradient
};

/// Returns the bytes of an update's workspace with master copies, the larger of: copies for the norm, of `largest`
/// parameters; copies in 16 bits + float32, of `learnt`. keeps_holes: the norm's + each that has no room in its hole.
[[nodiscard]] std::int64_t update_copies(const GradientBuffers& buffers, std::int64_t learnt,
                                         std::int64_t largest);

/// Returns the bytes by the network's precision and `types`. Without a precision weights and gradients have the
/// network's type, and optimiser states are float32.
[[nodiscard]] ParameterBytes parameter_bytes(const Network& network,
                                             const ParameterTypes& types = {});

/// Returns the bytes for a layer whose parameters have type `own`, as adapters may. If that type is as
/// large as the master copy, there is no master copy. `own` unset: `each`.
[[nodiscard]] ParameterBytes bytes_of_layer(const ParameterBytes& each, std::optional<Dtype> own);
[[nodiscard]] inline ParameterBytes bytes_of_layer(const ParameterBytes& each,
                                                   const LayerModel& layer) {
  return bytes_of_layer(each, layer.parameter_type);
}

/// Returns the bytes of all weights of a layer as stored. Frozen weights may be quantised (LayerModel::storage).
[[nodiscard]] std::int64_t weight_bytes(const ParameterBytes& each, const LayerModel& layer);

/// Returns the bytes of all optimiser states of a layer, without the master copy; 0 if frozen.
[[nodiscard]] std::int64_t state_bytes(Optimizer optimizer, const ParameterBytes& each,
                                       const LayerModel& layer);

}  // namespace ooc
