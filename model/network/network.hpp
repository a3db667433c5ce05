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
#include "model/base/spec_tree.hpp"
#include "model/base/tensor_shape.hpp"
#include "model/layers/layer_kind.hpp"

namespace ooc {

struct NetworkInput {
  std::string name;
  TensorShape shape = {};              ///< shape of one sample
  std::int64_t bytes_per_element = 0;  ///< 0: bytes of the network's type
};

/// Network input or layer whose value a layer reads.
using Producer = std::variant<InputId, LayerId>;

struct Layer {
  std::string name;
  const LayerKind* kind = nullptr;
  std::vector<Producer> inputs = {};
  std::shared_ptr<const LayerModel> model = {};  ///< equal layers may share one
  std::optional<LayerId> tied_to = {};           ///< layer whose weights this one uses; unset: none
};

/// True if the layer uses weights, its own or shared ones, and trains them. False if frozen.
[[nodiscard]] inline bool has_weights(const Layer& layer) {
  return !layer.model->is_frozen && (layer.model->parameters > 0 || layer.model->is_tied);
}

/// Weights of one layer, or shared by several layers: they have one gradient and one update.
struct WeightUnit {
  LayerId owner;                   ///< layer with the parameters; runs before the tied layers
  std::vector<LayerId> tied = {};  ///< layers that share the owner's weights, in file order
  std::int64_t parameters = 0;
  bool is_frozen = false;  ///< true: not trained
};

/// Repeat marked "scale": its number of copies is the depth of the network.
struct ScalingRepeat {
  std::string name;
  std::int64_t copies = 1;
};

struct Network {
  std::string name;
  std::string source;                  ///< where the network is from; empty: not stated
  Dtype dtype = Dtype::kFloat32;       ///< with a precision: type of the results of matrix products
  std::optional<Precision> precision;  ///< unset: all data have type `dtype`
  std::optional<Optimizer> optimizer;  ///< default of --optimizer; unset: not in the file
  std::optional<std::int64_t> batch;   ///< default of --batch; unset: not in the file
  std::vector<SymbolValue> symbols;    ///< sizes by name, such as seq, with the values in use
  bool frozen = false;                 ///< true: layers without "frozen" are frozen
  std::optional<WeightStorage> storage;  ///< of frozen layers; unset: as trained weights
  bool input_gradient = false;           ///< true: backward runs for frozen embeddings, too
  std::string remark = {};               ///< ONNX: operators without a kind of layer; empty: none
  bool is_imported = false;              ///< true if read from a checkpoint's config
  std::int64_t expert_parallel = 1;      ///< devices that share the experts; layers: one device's
  std::vector<NetworkInput> inputs;
  std::vector<Layer> layers;             ///< in file order, repeats unrolled
  std::vector<LayerId> execution_order;  ///< topological; ties by file order
  std::vector<LayerId> outputs;          ///< layers named in "outputs"; without it the last layer
  std::vector<ScalingRepeat> scaling;    ///< repeats marked "scale", in file order
  std::vector<WeightUnit> units;         ///< weights of all layers, owners in file order
};

/// Returns the bytes of an element of a network input or a layer's output.
[[nodiscard]] std::int64_t bytes_per_element(const Network& network, const Producer& producer);
/// Returns the value of symbol `name`, such as "seq"; unset: the network has no such symbol.
[[nodiscard]] std::optional<std::int64_t> symbol_of(const Network& network, std::string_view name);

[[nodiscard]] std::int64_t total_parameters(const Network& network);
[[nodiscard]] std::int64_t trainable_parameters(const Network& network);
/// Returns the number of trainable parameters of the layer with most of them; 0 if nothing is trained.
[[nodiscard]] std::int64_t largest_trainable_layer(const Network& network);
/// Returns the number of parameters that one token uses: of mixtures, only the experts that the token is sent to.
[[nodiscard]] std::int64_t active_parameters(const Network& network);
/// Returns the multiply-accumulates of convolutions and matrix products in forward, for one sample.
[[nodiscard]] std::int64_t total_forward_macs(const Network& network);

/// Layers that read each other in a cycle.
struct Cycle {
  std::vector<LayerId> layers;  ///< each reads the one before, the first reads the last
};
// Return the layers in an order in which each comes after its producers, the first in the file first; or a cycle.
[[nodiscard]] std::variant<std::vector<LayerId>, Cycle> topological_order(
    const std::vector<std::vector<LayerId>>& producers_of_layer);
[[nodiscard]] std::variant<std::vector<LayerId>, Cycle> topological_order(
    const std::vector<Layer>& layers);

/// Returns the name of the block ("layer" of a transformer) that the layer called `layer` is in, which is its name up
/// to the first numbered part: "blocks/3" for "blocks/3/ff1", "layer1_0" for "layer1_0_bn2", "mixed5b" for
/// "mixed5b_1x1_bn". Empty: no such part, or nothing behind it ("conv1").
[[nodiscard]] std::string_view block_name(std::string_view layer);

}  // namespace ooc
