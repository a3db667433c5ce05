// The layer graph with inferred shapes: what is read from networks/*.json. Immutable; it knows
// nothing of batches' cost or of hardware. `repeat` is unrolled.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/base/dtype.hpp"
#include "model/base/ids.hpp"
#include "model/base/tensor_shape.hpp"
#include "model/layers/layer_kind.hpp"

namespace ooc {

struct NetworkInput {
  std::string name;
  TensorShape shape;  ///< per sample
};

/// Where a layer's input comes from.
using Producer = std::variant<InputId, LayerId>;

struct Layer {
  std::string name;
  const LayerKind* kind = nullptr;
  std::vector<Producer> inputs;
  std::shared_ptr<const LayerModel> model;  ///< copies of a repeat share one
};

/// A repeat that a deeper network of the same kind has more copies of.
struct ScalingRepeat {
  std::string name;
  std::int64_t copies = 1;
};

struct Network {
  std::string name;
  std::string source;  ///< paper, table
  Dtype dtype = Dtype::kFloat32;
  std::optional<std::int64_t> batch;  ///< the file's default batch
  std::vector<NetworkInput> inputs;
  std::vector<Layer> layers;             ///< in file order, repeats unrolled
  std::vector<LayerId> execution_order;  ///< topological; ties by place in the file
  std::vector<LayerId> outputs;          ///< layers that may go unread
  std::vector<ScalingRepeat> scaling;    ///< in file order
};

[[nodiscard]] std::int64_t total_parameters(const Network& network);
/// Multiply-accumulates of convolutions and matrix products for one sample, forward.
[[nodiscard]] std::int64_t total_forward_macs(const Network& network);

/// The topological order of `layers` (ties by place), or the names on one cycle.
struct Cycle {
  std::vector<LayerId> layers;
};
[[nodiscard]] std::variant<std::vector<LayerId>, Cycle> topological_order(
    const std::vector<std::vector<LayerId>>& producers_of_layer);
[[nodiscard]] std::variant<std::vector<LayerId>, Cycle> topological_order(
    const std::vector<Layer>& layers);

}  // namespace ooc
