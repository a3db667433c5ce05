// The layer graph with inferred shapes: what is read from networks/*.json. Immutable; it knows
// nothing of batches' cost or of hardware. `repeat` is unrolled.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/base/dtype.hpp"
#include "model/base/ids.hpp"
#include "model/base/optimizer.hpp"
#include "model/base/precision.hpp"
#include "model/base/spec_symbols.hpp"
#include "model/base/tensor_shape.hpp"
#include "model/layers/layer_kind.hpp"

namespace ooc {

struct NetworkInput {
  std::string name;
  TensorShape shape;                   ///< per sample
  std::int64_t bytes_per_element = 0;  ///< 0: the network's type
};

/// Where a layer's input comes from.
using Producer = std::variant<InputId, LayerId>;

struct Layer {
  std::string name;
  const LayerKind* kind = nullptr;
  std::vector<Producer> inputs;
  std::shared_ptr<const LayerModel> model;  ///< copies of a repeat share one
  std::optional<LayerId> tied_to = {};      ///< whose matrix of weights it uses, if not its own
};

/// Whether it has weights to learn: its own, or those that it is tied to. Not what is frozen.
[[nodiscard]] inline bool has_weights(const Layer& layer) {
  return !layer.model->is_frozen && (layer.model->parameters > 0 || layer.model->is_tied);
}

/// The weights of one layer, or what several share: one set, one gradient, one update.
struct WeightUnit {
  LayerId owner;  ///< whose parameters they are; it runs before those that are tied to it
  std::vector<LayerId> tied;  ///< those, in the order of the file
  std::int64_t parameters = 0;
  bool is_frozen = false;
};

/// A repeat that a deeper network of the same kind has more copies of.
struct ScalingRepeat {
  std::string name;
  std::int64_t copies = 1;
};

struct Network {
  std::string name;
  std::string source;                    ///< paper, table
  Dtype dtype = Dtype::kFloat32;         ///< with a precision: of what products write
  std::optional<Precision> precision;    ///< none: everything has that type
  std::optional<Optimizer> optimizer;    ///< the file's default
  std::optional<std::int64_t> batch;     ///< the file's default batch
  std::vector<SymbolValue> symbols;      ///< sizes by name, as this network was read with
  bool frozen = false;                   ///< layers learn nothing unless they say other
  std::optional<WeightStorage> storage;  ///< of frozen layers that say none
  bool input_gradient = false;  ///< the gradient of embeddings is computed though nobody wants it
  bool is_imported = false;     ///< from the config of a checkpoint
  std::vector<NetworkInput> inputs;
  std::vector<Layer> layers;             ///< in file order, repeats unrolled
  std::vector<LayerId> execution_order;  ///< topological; ties by place in the file
  std::vector<LayerId> outputs;          ///< layers that may go unread
  std::vector<ScalingRepeat> scaling;    ///< in file order
  std::vector<WeightUnit> units;         ///< in the order of their owners in the file
};

/// Of a value: an input's or a layer's output.
[[nodiscard]] std::int64_t bytes_per_element(const Network& network, const Producer& producer);
/// The size of that name, such as "seq", if the network has it.
[[nodiscard]] std::optional<std::int64_t> symbol_of(const Network& network, std::string_view name);

[[nodiscard]] std::int64_t total_parameters(const Network& network);
[[nodiscard]] std::int64_t trainable_parameters(const Network& network);
/// Parameters of the layer that trains most of them; 0 where none does.
[[nodiscard]] std::int64_t largest_trainable_layer(const Network& network);
/// Those that one element of a sequence goes through: of a mixture's experts, the ones that it is sent to.
[[nodiscard]] std::int64_t active_parameters(const Network& network);
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
