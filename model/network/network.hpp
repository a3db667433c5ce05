// Layer graph with inferred shapes, as read from networks/*.json, repeats unrolled. Immutable;
// independent of batch and hardware.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/base/ids.hpp"
#include "model/base/precision.hpp"
#include "model/base/spec_symbols.hpp"
#include "model/base/tensor_shape.hpp"
#include "model/layers/layer_kind.hpp"

namespace ooc {

struct NetworkInput {
  std::string name;
  TensorShape shape = {};              ///< shape of one sample
  std::int64_t bytes_per_element = 0;  ///< 0: by the network's type
};

/// Source of a layer's input.
using Producer = std::variant<InputId, LayerId>;

struct Layer {
  std::string name;
  const LayerKind* kind = nullptr;
  std::vector<Producer> inputs = {};
  std::shared_ptr<const LayerModel> model = {};  ///< copies of a repeat share one
  std::optional<LayerId> tied_to = {};           ///< layer whose weights this one uses; unset: none
};

/// True if the layer trains weights, its own or shared ones. False if frozen.
[[nodiscard]] inline bool has_weights(const Layer& layer) {
  return !layer.model->is_frozen && (layer.model->parameters > 0 || layer.model->is_tied);
}

/// Weights of one layer, or shared by several: one gradient, one update.
struct WeightUnit {
  LayerId owner;                   ///< layer with the parameters; runs before the tied layers
  std::vector<LayerId> tied = {};  ///< layers that share the owner's weights, in file order
  std::int64_t parameters = 0;
  bool is_frozen = false;
};

/// Repeat whose number of copies is the depth of the network.
struct ScalingRepeat {
  std::string name;
  std::int64_t copies = 1;
};

struct Network {
  std::string name;
  std::string source;                  ///< for example paper and table
  Dtype dtype = Dtype::kFloat32;       ///< with a precision: type of the results of matrix products
  std::optional<Precision> precision;  ///< unset: all data have type `dtype`
  std::optional<Optimizer> optimizer;  ///< default stated in the file
  std::optional<std::int64_t> batch;   ///< default stated in the file
  std::vector<SymbolValue> symbols;    ///< sizes by name, such as seq, with the values in use
  bool frozen = false;                 ///< layers are frozen by default
  std::optional<WeightStorage> storage;  ///< storage of frozen layers; unset: by the precision
  bool input_gradient = false;           ///< true: backward runs for frozen embeddings too
  std::string remark = {};               ///< ONNX: operators without a kind of layer; empty: none
  bool is_imported = false;              ///< true if read from a checkpoint's config
  std::int64_t expert_parallel = 1;  ///< devices over which experts are split; layers: one device's
  std::vector<NetworkInput> inputs;
  std::vector<Layer> layers;             ///< in file order, repeats unrolled
  std::vector<LayerId> execution_order;  ///< topological; ties by file order
  std::vector<LayerId> outputs;          ///< outputs named in the file; else the last layer
  std::vector<ScalingRepeat> scaling;    ///< repeats in file order
  std::vector<WeightUnit> units;         ///< by owner in file order
};

/// Returns the bytes of an element of a network input or a layer's output.
[[nodiscard]] std::int64_t bytes_per_element(const Network& network, const Producer& producer);
/// Returns the size called `name`, such as "seq"; unset if the network has none.
[[nodiscard]] std::optional<std::int64_t> symbol_of(const Network& network, std::string_view name);

[[nodiscard]] std::int64_t total_parameters(const Network& network);
[[nodiscard]] std::int64_t trainable_parameters(const Network& network);
/// Returns the trainable parameters of the layer with the most; 0 if nothing is trained.
[[nodiscard]] std::int64_t largest_trainable_layer(const Network& network);
/// Returns the parameters that one token uses: in mixtures, only those of the experts that it is sent to.
[[nodiscard]] std::int64_t active_parameters(const Network& network);
/// Returns the multiply-accumulates of convolutions and matrix products for one sample, forward.
[[nodiscard]] std::int64_t total_forward_macs(const Network& network);

/// Layers on one cycle: the result of topological_order() if there is no order. Ties are broken by index.
struct Cycle {
  std::vector<LayerId> layers;
};
[[nodiscard]] std::variant<std::vector<LayerId>, Cycle> topological_order(
    const std::vector<std::vector<LayerId>>& producers_of_layer);
[[nodiscard]] std::variant<std::vector<LayerId>, Cycle> topological_order(
    const std::vector<Layer>& layers);

// Blocks of a network ("layers" in transformers), recognised by the names of their layers:
// frameworks have nothing else.

/// Returns the name `layer` up to its first numbered part: "blocks/3" for "blocks/3/ff1", "layer1_0" for
/// "layer1_0_bn2", "mixed5b" for "mixed5b_1x1_bn". Empty if nothing follows that part ("conv1").
[[nodiscard]] std::string_view block_name(std::string_view layer);

}  // namespace ooc
