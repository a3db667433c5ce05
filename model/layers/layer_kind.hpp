// Interface of layer kinds. A kind is a const struct with one function. The function reads the
// kind's attributes, infers the output shape and returns as data everything that later stages need
// (LayerModel). Later stages hardly ask for the kind. One file a kind; this folder's CMakeLists.txt
// generates the table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/base/ids.hpp"
#include "model/base/precision.hpp"
#include "model/base/spec_tree.hpp"
#include "model/base/tensor_shape.hpp"
#include "model/base/units.hpp"
#include "model/layers/weight_storage.hpp"

namespace ooc {

/// Work of one task, affine in the batch: FLOPs = batch x flops_per_sample, bytes = batch x
/// bytes_per_sample + bytes_fixed. Bytes are GPU memory traffic, each operand once.
struct TaskWork {
  std::int64_t flops_per_sample = 0;
  std::int64_t bytes_per_sample = 0;
  std::int64_t bytes_fixed = 0;           ///< weights and other operands independent of the batch
  std::int64_t workspace_per_sample = 0;  ///< bytes that the task needs beside its operands
  std::int64_t workspace_most =
      0;  ///< limit of workspace_per_sample x batch in bytes, as of a task in chunks; 0: none
  std::int64_t workspace_fixed = 0;  ///< workspace in bytes that does not grow with the batch
};

/// Work of forward and backward tasks. A fused backward task has its work in backward_data. Under
/// kAliasOrCopy, backward_data is the copy of one gradient, times Task::copies; under kSlices, 0.
struct LayerWork {
  TaskWork forward;
  TaskWork backward_data;
  TaskWork backward_weights;
};

/// Number of kernels that eager PyTorch launches for a task, with most casts. The model explains
/// 1,730 of the 2,015 launches of a Llama of 16 blocks (tests/data/measured/h200-sxm).
struct LayerLaunches {
  std::int64_t forward = 1;
  std::int64_t backward = 1;  ///< launches of a fused backward task, or of backward-data
  std::int64_t backward_weights = 1;
  std::int64_t update = 1;  ///< one for each parameter tensor
};

/// Memory accesses of eager kernels that are slower than streaming, in forward or in backward, per sample.
struct EagerWalk {
  std::int64_t numbers = 0;  ///< accessed one by one: strides, broadcasts, casts to a wider type
  std::int64_t bytes = 0;    ///< bytes that these kernels move; part of TaskWork
  std::int64_t again = 0;    ///< bytes beyond TaskWork, for values read more than once
  void add(std::int64_t count, std::int64_t bytes_each) {
    numbers += count;
    bytes += count * bytes_each;
  }
};

enum class BackwardForm {
  kFused,  ///< one task for data and parameters (norms, activations, ...)
  kSplit,  ///< backward-data, then backward-weights; only the latter reads the input (conv, linear)
};

/// Relation of input gradients to the output gradient.
enum class GradientForm {
  kComputed,     ///< computed by the backward task
  kAliasOrCopy,  ///< the same tensor (add); a copy if several inputs want it
  kSlices,       ///< slices of the output gradient, as a rule without a task (concat)
};

/// Permission to overwrite the only input with the output.
enum class InPlace {
  kNever,
  kWhereAlways,   ///< if the framework runs all it can in place (default of sigmoid, tanh)
  kWhenPossible,  ///< wherever it is safe (default of dropout, relu and its kin)
  kRequired,      ///< "in_place": true in the file; an error if impossible
};

/// Forward data that backward tasks read, under the ideal framework.
struct Saves {
  bool inputs = false;  ///< true: all inputs, except unread_inputs and unread_last
  bool output = false;
  std::int64_t mask_bytes = 0;      ///< dropout: mask per sample, if an element has 1 byte
  std::int64_t reserve_bytes = 0;   ///< bytes per sample of further values that forward writes
  std::int64_t twice_bytes = 0;     ///< part of reserve_bytes that two operations save each
  std::size_t unread_inputs = 0;    ///< number of leading inputs that backward does not read
  std::size_t unread_last = 0;      ///< number of last inputs that backward does not read
  std::uint32_t copied_inputs = 0;  ///< bit i: backward reads a copy of input i, in the reserve
  // Data that some frameworks save instead or in addition (model/graph/keeping.hpp):
  bool input_serves = false;        ///< relu, elu, ...: backward can read the input instead
  bool clamps = false;              ///< relu6, hardsigmoid: the input may be saved, for its limits
  bool input_out_of_place = false;  ///< leaky_relu, elu: the input may be saved, out of place
  bool input_for_shape = false;     ///< average pools: the input, for its sizes
  bool input_of_softmax = false;    ///< softmax, losses: the input as well
  std::int64_t scores_bytes = 0;    ///< attention, losses: bytes per sample of the softmax's input
  std::int64_t fusible_bytes = 0;   ///< further bytes per sample of reserve, unless kernels fuse
  std::int64_t places = 0;          ///< max pools: maxima per sample, whose indices may be saved
  std::int64_t statistics_per_sample = 0;  ///< layer and group norm: float32 numbers
  std::int64_t statistics_fixed = 0;       ///< batch norm: float32 numbers, whatever the batch
};

/// Stated times of a `custom` layer, for a whole task, launch included.
struct CustomCost {
  /// Amount of work that times and workspace are stated for.
  enum class Per {
    kBatch,  ///< the batch of the file (Network::batch), the only one that may run
    kSample,
  };
  Duration forward;
  Duration backward;
  Bytes workspace;
  Per per = Per::kBatch;
};

/// Dimension of a product that grows with the batch; kCount: the number of products.
enum class BatchAxis { kN, kK, kCount };

/// Matrix product M x N x K, `count` times, for one sample.
struct LayerProduct {
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  std::int64_t count = 1;
  BatchAxis batch = BatchAxis::kN;
};

/// Matrix products of a layer's tasks, for costs by shape. `LayerWork` counts them, too.
struct LayerProducts {
  std::vector<LayerProduct> forward;
  std::vector<LayerProduct> backward_data = {};  ///< all products of a fused backward task
  std::vector<LayerProduct> backward_weights = {};
  std::int64_t scores = 0;  ///< attention: bytes per sample of the scores; 0 for other kinds
  double softmax_width =
      1;  ///< bytes of an element of the softmax's result, over those of the scores
  /// Bytes per sample moved by further kernels, which graph compilers (Fusion::kAll) fuse away.
  std::int64_t apart_forward = 0;
  std::int64_t apart_backward = 0;
  bool scores_apart = false;  ///< true: scale, mask and softmax are a kernel each in eager software
  /// Bytes per sample that each task moves beside products and softmax, in any software.
  std::int64_t beside_forward = 0;
  std::int64_t beside_backward = 0;
  std::int64_t beside_weights = 0;
};

/// Time step of an unrolled recurrent layer, for the cost of the whole layer. All gates are one product.
struct RecurrentStep {
  std::int64_t gates = 4;  ///< products of `units` rows each: 4 for lstm, 3 for gru
  std::int64_t units = 1;
  std::int64_t features = 1;
  std::int64_t steps = 1;  ///< time steps of the layer
  /// True for the task of the gates, which has the step's time; element-wise tasks cost nothing more.
  bool is_gates = true;
};

/// Casts that a precision causes (model/layers/read_layer.cpp). LayerWork includes their traffic.
struct LayerCasts {
  std::int64_t forward_per_sample = 0;   ///< bytes read and written for inputs
  std::int64_t backward_per_sample = 0;  ///< bytes read and written for input gradients
  std::int64_t parameters = 0;    ///< parameters that products read as a copy of narrower type
  std::int64_t copy_traffic = 0;  ///< bytes read and written to make the copy
  /// Bytes read and written to convert stored weights to the type of products, in forward and again in backward-data.
  std::int64_t unpacking = 0;
  std::int64_t four_bits = 0;  ///< number of 4-bit weights to unpack
};

/// Shape of a weight matrix that layers may share. Rows: outputs (linear) or entries of the table (embedding).
struct WeightMatrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  bool operator==(const WeightMatrix&) const = default;
};

struct LayerPart;

/// Attention as one kernel, such as flash attention.
struct FusedAttention {
  double keys;          ///< mean number of keys that a query reads under the mask
  double head;          ///< width of a head
  double drawn = 0;     ///< random numbers per sample, for dropout
  double all_keys = 0;  ///< number of keys, those that a mask forbids included
};

/// Facts about a layer for all later stages. Counts are per sample unless stated otherwise.
struct LayerModel {
  TensorShape output;
  std::int64_t parameters = 0;       ///< parameters of its own, without tied ones
  std::int64_t idle_parameters = 0;  ///< part of `parameters`: experts that a token does not use
  /// Matrix that other layers may be tied to, or that this layer is tied to.
  std::optional<WeightMatrix> weight_matrix;
  std::int64_t expert_devices = 1;  ///< devices among which the layer's experts are divided
  std::int64_t sent_bytes = 0;  ///< bytes per sample to other devices; forward and backward each
  bool is_tied = false;         ///< the matrix belongs to another layer ("tied_to")
  bool is_frozen = false;       ///< not trained: no gradient, no optimiser state, no update
  /// Storage of frozen weights; unset: as trained weights.
  std::optional<WeightStorage> storage;
  /// Type of trained parameters (adapters); unset: by the precision.
  std::optional<Dtype> parameter_type;
  std::int64_t forward_macs = 0;  ///< MACs of convolutions and matrix products, without bias
  std::int64_t masked_macs =
      0;  ///< part of forward_macs that a mask makes irrelevant; computed all the same
  std::int64_t output_bytes_per_element = 0;  ///< 0: that of the network's type
  LayerWork work;                             ///< work by the native model
  LayerLaunches launches;
  LayerWork paleo_work;  ///< work by PALEO (docs/paleo.md); 0 where PALEO counts nothing
  std::string efficiency = "default";  ///< key in the profile's compute.efficiency
  BackwardForm backward_form = BackwardForm::kFused;
  GradientForm gradient_form = GradientForm::kComputed;
  /// kAliasOrCopy: all inputs share one gradient buffer, since its first reader does not change it.
  bool shares_gradient = false;
  Saves saves;
  InPlace in_place = InPlace::kNever;
  bool is_view =
      false;  ///< alias of its input, no task; but see is_view(), model/graph/buffers.hpp
  bool is_loss = false;        ///< its backward task reads no gradient
  bool is_activation = false;  ///< element-wise activations such as relu, gelu, silu
  std::int64_t pooled = 0;     ///< windowed pools: elements of the input per sample; else 0
  bool sums_rows = false;  ///< layer norm in one kernel: sums along rows, gradient sums over rows
  bool is_convolution = false;  ///< conv, conv_transpose, custom; vdnn-conv swaps their inputs
  bool is_feature_extractor = false;  ///< convolutions, pools, norms; vdnn-all swaps their inputs
  std::optional<CustomCost> custom;
  /// Sizes of a conv, for algorithms; null for other kinds.
  std::shared_ptr<const ConvolutionShape> convolution;
  /// conv_transpose: the convolution from its output back to its input.
  std::shared_ptr<const ConvolutionShape> mirrored_convolution;
  std::shared_ptr<const LayerProducts> products;  ///< null: none, or fused_attention has them
  std::optional<FusedAttention> fused_attention;  ///< set: flash attention, without `products`
  /// Type that kernels compute in under a precision; unset: the network's.
  std::optional<Dtype> computes_in;
  LayerCasts casts;
  EagerWalk walk_forward;
  EagerWalk walk_backward;
  std::shared_ptr<const RecurrentStep> recurrent;  ///< set for parts of lstm and gru
  /// Layers into which this kind unrolls (lstm, gru, linear with adapters); the last one gives
  /// `output`. No other fields are valid then. The network reader puts the parts in place of the
  /// layer (docs/notebook/0003), so later stages never see this. Null: none.
  std::shared_ptr<const std::vector<LayerPart>> parts;
};

using OuterInputId = Id<struct OuterInputTag>;  ///< input of the layer that unrolls
using PartId = Id<struct PartTag>;              ///< earlier part of the layer that unrolls

struct LayerKind;

struct LayerPart {
  std::string name;  ///< follows "layer/"; empty for the last part, which has the layer's name
  std::vector<std::variant<OuterInputId, PartId>> inputs;
  LayerModel model;
  /// Kind, if the part is a complete layer; null: the part belongs to the kind that unrolls.
  const LayerKind* kind = nullptr;
};

/// Facts about the network for the function that reads a layer.
struct LayerInputs {
  std::span<const TensorShape> shapes = {};  ///< by input; none only for kinds without inputs
  Dtype dtype = Dtype::kFloat32;
  /// Names of the producers, for messages; empty, or one a shape.
  std::span<const std::string_view> names = {};
  std::optional<Precision> precision = {};   ///< unset: one type for all data
  std::span<const std::int64_t> bytes = {};  ///< bytes an element, by input; empty: element_bytes()
  std::optional<std::int64_t> element = {};  ///< bytes an element in computation; unset: by `dtype`
  bool frozen = false;                       ///< default of the layer's "frozen"
  std::optional<WeightStorage> storage = {};  ///< default of the "storage" of frozen layers
  /// Type of the parameters, instead of the precision's; only with a precision.
  std::optional<Dtype> own_type = {};
  std::int64_t expert_parallel = 1;  ///< devices over which mixtures split their experts

  /// Returns the bytes of an element that the layer computes with, and writes unless its model says otherwise.
  [[nodiscard]] std::int64_t element_bytes() const {
    return element.value_or(dtype_info(dtype).bytes);
  }
  /// True if the layer computes in own_type and casts its inputs itself. False under autocast and FSDP, which cast.
  [[nodiscard]] bool computes_in_own_type() const {
    if (!own_type || !precision) return false;
    const PrecisionInfo& info = precision_info(*precision);
    return !info.autocasts() && info.copies != WeightCopies::kPerGroup;
  }
  /// Returns the bytes of an element of an input, as its producer wrote it.
  [[nodiscard]] std::int64_t bytes_of(std::size_t input) const {
    return bytes.empty() ? element_bytes() : bytes[input];
  }
};

/// Type that a kind computes in if the precision lets kinds choose (PrecisionInfo::autocasts),
/// after the lists of torch.autocast.
enum class NumberClass {
  kWidest,   ///< widest type of the inputs: element-wise kinds, pools, batch norm
  kProduct,  ///< narrow type; casts its inputs: conv, matmul, attention, lstm
  kLinear,   ///< narrow type, or float8 if available; casts its inputs: linear
  kWide,     ///< wide type; casts its inputs: softmax, norms other than batch norm
  kTable,    ///< writes the wide type, casts no input: embedding, softmax_cross_entropy
};

/// Facts about a kind that the network reader needs before it reads the layer.
struct LayerTraits {
  bool takes_inputs = true;
  bool may_be_tied = false;  ///< reads "tied_to", the name of a layer
  NumberClass numbers = NumberClass::kWidest;
};

struct LayerKind {
  std::string_view name;          ///< as in the file, such as "conv"
  std::string_view summary = {};  ///< what the kind computes, one line for `list` and docs
  /// Reads the layer's own keys from `spec`. The network reader handles "name", "type" and "inputs", and rejects keys
  /// that remain. Throws SpecError for impossible values, overflow included.
  LayerModel (*read)(const SpecView& spec, const LayerInputs& inputs);
  LayerTraits traits = {};
};

/// Returns all kinds in the order of CMakeLists.txt.
[[nodiscard]] std::span<const LayerKind* const> layer_kinds();
/// Returns the kind called `name`; null: none.
[[nodiscard]] const LayerKind* find_layer_kind(std::string_view name);

}  // namespace ooc
