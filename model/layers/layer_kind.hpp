// Interface of layer kinds. A kind is a const struct with one function. The function reads the kind's attributes,
// infers the output shape and returns as data everything that later stages need (LayerModel). Later stages hardly ask
// for the kind. One file a kind; this folder's CMakeLists.txt generates the table.
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

/// Work of one task, linear in the batch: FLOPs = batch x flops_per_sample, bytes = batch x
/// bytes_per_sample + bytes_fixed. Bytes are GPU memory traffic, with each operand counted once.
struct TaskWork {
  std::int64_t flops_per_sample = 0;
  std::int64_t bytes_per_sample = 0;
  std::int64_t bytes_fixed = 0;           ///< traffic that does not grow with the batch: weights
  std::int64_t workspace_per_sample = 0;  ///< bytes that the task needs beside its operands
  /// Limit in bytes of workspace_per_sample x batch, for a task that works in chunks; 0: no limit.
  std::int64_t workspace_most = 0;
  std::int64_t workspace_fixed = 0;  ///< further bytes of workspace, whatever the batch
};

/// Work of a layer's tasks. A fused backward task has its work in backward_data. With kAliasOrCopy,
/// backward_data is the work to copy one gradient (Task::copies are made); with kSlices it is 0.
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
  std::int64_t update = 1;  ///< one for each parameter tensor of the layer
};

/// Memory accesses, per sample, of the kernels of eager software that are slower than streaming.
struct EagerWalk {
  std::int64_t numbers = 0;  ///< accesses one by one: strides, broadcasts, casts to wider types
  std::int64_t bytes = 0;    ///< bytes that the kernels of these numbers move, part of TaskWork
  std::int64_t again = 0;    ///< further bytes, not in TaskWork: values read more than once
  void add(std::int64_t count, std::int64_t bytes_each) {
    numbers += count;
    bytes += count * bytes_each;
  }
};

/// Backward tasks of a layer.
enum class BackwardForm {
  kFused,  ///< one task for data and parameters (norms, activations, ...)
  kSplit,  ///< backward-data, then backward-weights; only the latter reads the input (conv, linear)
};

/// Relation of input gradients to the output gradient.
enum class GradientForm {
  kComputed,     ///< computed by the backward task
  kAliasOrCopy,  ///< the output gradient itself, or copies of it if several inputs want one (add)
  kSlices,       ///< slices of the output gradient, as a rule without a task (concat)
};

/// Permission to overwrite a layer's only input with its output.
enum class InPlace {
  kNever,
  kWhereAlways,   ///< only with InPlaceRule::kAlways, if safe (default of sigmoid, tanh)
  kWhenPossible,  ///< unless InPlaceRule::kNever, if safe (default of dropout, relu and its kin)
  kRequired,      ///< "in_place": true in the file; an error if impossible
};

/// Data of forward that backward tasks read, as the ideal framework saves them.
struct Saves {
  bool inputs = false;              ///< true: all inputs, except unread_inputs and unread_last
  bool output = false;              ///< true: the output
  std::int64_t mask_bytes = 0;      ///< dropout: elements of the mask per sample (1 byte each)
  std::int64_t reserve_bytes = 0;   ///< bytes per sample of further values that forward writes
  std::int64_t twice_bytes = 0;     ///< part of reserve_bytes copied twice if CopyRules::each_save
  std::size_t unread_inputs = 0;    ///< number of first inputs that backward does not read
  std::size_t unread_last = 0;      ///< number of last inputs that backward does not read
  std::uint32_t copied_inputs = 0;  ///< bit i: backward reads a copy of input i, in the reserve
  // Data that some frameworks save instead or in addition (model/graph/keeping.hpp):
  bool input_serves = false;        ///< true: the input in place of the output (relu, elu, ...)
  bool clamps = false;              ///< true: the input in place of the output (relu6, hardsigmoid)
  bool input_out_of_place = false;  ///< true: the input, if not overwritten (leaky_relu, elu)
  bool input_for_shape = false;     ///< true: the input, for its shape alone (average pools)
  bool input_of_softmax = false;    ///< true: the input beside the output (softmax, losses)
  std::int64_t scores_bytes = 0;    ///< bytes per sample of the softmax's input (attention, losses)
  std::int64_t fusible_bytes = 0;   ///< bytes per sample of reserve unless kernels are fused
  std::int64_t places = 0;          ///< maxima per sample, whose indices may be saved (max pools)
  std::int64_t statistics_per_sample = 0;  ///< float32 numbers per sample (layer and group norm)
  std::int64_t statistics_fixed = 0;       ///< float32 numbers, whatever the batch (batch norm)
};

/// Times of the tasks of a `custom` layer as the file states them, launch included.
struct CustomCost {
  /// Number of samples that times and workspace are stated for.
  enum class Per {
    kBatch,   ///< the batch of the file (Network::batch), the only one that may run
    kSample,  ///< one; times and workspace grow with the batch
  };
  Duration forward;
  Duration backward;
  Bytes workspace;
  Per per = Per::kBatch;
};

/// Size of LayerProduct that is multiplied by the batch.
enum class BatchAxis { kN, kK, kCount };

/// Matrix product M x N x K, `count` times, for one sample.
struct LayerProduct {
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  std::int64_t count = 1;
  BatchAxis batch = BatchAxis::kN;
};

/// Matrix products of a layer's tasks, for costs by shape. LayerWork includes their work.
struct LayerProducts {
  std::vector<LayerProduct> forward;
  std::vector<LayerProduct> backward_data = {};  ///< all products of a fused backward task
  std::vector<LayerProduct> backward_weights = {};
  std::int64_t scores = 0;   ///< attention: bytes per sample of the scores; 0 for other kinds
  double softmax_width = 1;  ///< attention: bytes of a softmax result over bytes of a score
  // Bytes per sample moved by further kernels, which graph compilers (Fusion::kAll) fuse away:
  std::int64_t apart_forward = 0;
  std::int64_t apart_backward = 0;
  bool scores_apart = false;  ///< true: scale, mask and softmax are a kernel each in eager software
  // Bytes per sample that forward, backward-data and backward-weights move beside products and softmax:
  std::int64_t beside_forward = 0;
  std::int64_t beside_backward = 0;
  std::int64_t beside_weights = 0;
};

/// Facts about the recurrent layer that a part of one time step belongs to, for the cost of the whole layer.
struct RecurrentStep {
  std::int64_t gates = 4;  ///< number of gates, in one product of gates x units rows; gru: 3
  std::int64_t units = 1;
  std::int64_t features = 1;  ///< features of the input
  std::int64_t steps = 1;     ///< number of time steps of the layer
  /// True for the part of the gates, which has the whole time of the step. False: element-wise.
  bool is_gates = true;
};

/// Casts between types that a precision causes (read_layer.cpp). LayerWork includes their traffic.
struct LayerCasts {
  std::int64_t forward_per_sample = 0;   ///< bytes read and written to cast inputs
  std::int64_t backward_per_sample = 0;  ///< bytes read and written to cast input gradients
  std::int64_t parameters = 0;    ///< number of weights that tasks read as a copy (WeightCopies)
  std::int64_t copy_traffic = 0;  ///< bytes read and written to make that copy
  /// Bytes read and written to convert stored weights to the type of products, in forward and again in backward-data.
  std::int64_t unpacking = 0;
  std::int64_t four_bits = 0;  ///< number of 4-bit weights to unpack
};

/// Shape of a weight matrix that layers may share.
struct WeightMatrix {
  std::int64_t rows = 0;  ///< outputs (linear) or entries of the table (embedding)
  std::int64_t columns = 0;
  bool operator==(const WeightMatrix&) const = default;
};

struct LayerPart;

/// Sizes of attention in one kernel, such as flash attention.
struct FusedAttention {
  double keys;          ///< mean number of keys that a query reads under the mask
  double head;          ///< width of a head: features of a query
  double drawn = 0;     ///< random numbers that dropout draws per sample; 0: no dropout
  double all_keys = 0;  ///< number of keys, including those that a mask forbids
};

/// Facts about a layer for all later stages. Counts are per sample unless stated otherwise.
struct LayerModel {
  TensorShape output;
  std::int64_t parameters = 0;       ///< the layer's own parameters, without those it is tied to
  std::int64_t idle_parameters = 0;  ///< part of `parameters`: experts that a token does not use
  /// Matrix that other layers may be tied to, or that this layer is tied to; unset: none.
  std::optional<WeightMatrix> weight_matrix;
  std::int64_t expert_devices = 1;  ///< devices among which the layer's experts are divided
  std::int64_t sent_bytes = 0;      ///< bytes per sample sent to other devices, by each pass
  bool is_tied = false;             ///< true: the matrix belongs to another layer ("tied_to")
  bool is_frozen = false;  ///< true: not trained: no gradient, no optimiser state, no update
  /// Storage of frozen weights; unset: as trained weights.
  std::optional<WeightStorage> storage;
  /// Type of trained parameters (adapters); unset: by the precision.
  std::optional<Dtype> parameter_type;
  std::int64_t forward_macs = 0;  ///< MACs of convolutions and matrix products, without bias
  std::int64_t masked_macs = 0;   ///< part of forward_macs computed though a mask drops the results
  std::int64_t output_bytes_per_element = 0;  ///< 0: bytes of the network's type
  LayerWork work;                             ///< work by the native model (ComputeModel::kNative)
  LayerLaunches launches;
  LayerWork paleo_work;                ///< work by PALEO (docs/paleo.md); 0 if PALEO counts nothing
  std::string efficiency = "default";  ///< key in the profile's compute.efficiency
  BackwardForm backward_form = BackwardForm::kFused;
  GradientForm gradient_form = GradientForm::kComputed;
  /// True with kAliasOrCopy: all inputs share one gradient buffer, which the first reader leaves as it is.
  bool shares_gradient = false;
  Saves saves;
  InPlace in_place = InPlace::kNever;
  bool is_view = false;        ///< true: alias of its input, no task; is_view() has an exception
  bool is_loss = false;        ///< true: the backward task reads no gradient
  bool is_activation = false;  ///< true: element-wise activation such as relu, gelu, silu
  std::int64_t pooled = 0;     ///< windowed pools: elements of the input per sample; else 0
  bool sums_rows = false;  ///< true: layer norm in one kernel, whose sums are slower than streaming
  bool is_convolution = false;        ///< true: vdnn-conv swaps the input (convolutions, custom)
  bool is_feature_extractor = false;  ///< true: vdnn-all swaps the input (also pools, norms)
  std::optional<CustomCost> custom;   ///< set for a `custom` layer
  /// Sizes of a conv, for algorithms; null for other kinds.
  std::shared_ptr<const ConvolutionShape> convolution;
  /// conv_transpose: the convolution from its output back to its input.
  std::shared_ptr<const ConvolutionShape> mirrored_convolution;
  std::shared_ptr<const LayerProducts> products;  ///< null: no products, or fused_attention is set
  std::optional<FusedAttention> fused_attention;  ///< set: attention in one kernel, no `products`
  /// Type that kernels compute in under a precision; unset: the network's.
  std::optional<Dtype> computes_in;
  LayerCasts casts;
  EagerWalk walk_forward;
  EagerWalk walk_backward;
  std::shared_ptr<const RecurrentStep> recurrent;  ///< set for parts of lstm and gru; else null
  /// Layers into which this layer unrolls (lstm, gru, linear with adapters); the last one has `output`. Then no other
  /// field is valid. The network reader puts the parts in place of the layer (docs/notebook/0003). Null: none.
  std::shared_ptr<const std::vector<LayerPart>> parts;
};

using OuterInputId = Id<struct OuterInputTag>;  ///< index into the inputs of the layer that unrolls
using PartId = Id<struct PartTag>;              ///< index into the parts of the layer that unrolls

struct LayerKind;

/// One of the layers into which a layer unrolls.
struct LayerPart {
  std::string name;  ///< part "a" of layer "ff" is called "ff/a"; empty: the last part, called "ff"
  std::vector<std::variant<OuterInputId, PartId>> inputs;  ///< a PartId means an earlier part
  LayerModel model;
  /// Kind of the part; null: that of the layer that unrolls.
  const LayerKind* kind = nullptr;
};

/// Facts about the network for the function that reads a layer.
struct LayerInputs {
  std::span<const TensorShape> shapes = {};  ///< by input; empty only for kinds without inputs
  Dtype dtype = Dtype::kFloat32;             ///< Network::dtype
  /// By input: name of its producer, for messages. Empty: unknown.
  std::span<const std::string_view> names = {};
  std::optional<Precision> precision = {};   ///< unset: all data have type `dtype`
  std::span<const std::int64_t> bytes = {};  ///< by input: bytes an element; empty: element_bytes()
  std::optional<std::int64_t> element = {};  ///< bytes an element computed with; unset: by `dtype`
  bool frozen = false;                       ///< true: layers without "frozen" are frozen
  std::optional<WeightStorage> storage = {};  ///< for frozen layers without "storage"
  /// Type of the layer's parameters; unset: by the precision. Ignored without a precision.
  std::optional<AdapterType> own_type = {};
  std::int64_t expert_parallel = 1;  ///< devices over which mixtures split their experts

  /// Returns the bytes of an element computed with, and of the output unless the model has output_bytes_per_element.
  [[nodiscard]] std::int64_t element_bytes() const {
    return element.value_or(dtype_info(dtype).bytes);
  }
  /// True if the layer computes in `own_type`, with inputs cast: if set, with a precision other than autocast or FSDP.
  [[nodiscard]] bool computes_in_own_type() const {
    if (!own_type || !precision || own_type->autocasts) return false;
    const PrecisionInfo& info = precision_info(*precision);
    return !info.autocasts() && info.copies != WeightCopies::kPerGroup;
  }
  /// Returns the bytes of an element of input `input`, as the producer wrote them.
  [[nodiscard]] std::int64_t bytes_of(std::size_t input) const {
    return bytes.empty() ? element_bytes() : bytes[input];
  }
};

/// Type that a kind computes in under a precision, after the lists of torch.autocast. Narrow: the bytes of
/// PrecisionInfo::activation; wide: those of PrecisionInfo::wide.
enum class NumberClass {
  kWidest,   ///< widest type of the inputs: element-wise kinds, pools, batch norm
  kProduct,  ///< narrow, with inputs cast: conv, matmul, attention, lstm
  kLinear,   ///< as kProduct, in float8 if the precision has it: linear
  kWide,     ///< wide, with inputs cast: softmax, norms other than batch norm
  kTable,    ///< wide output, without casts of inputs: embedding, softmax_cross_entropy
};

/// Facts about a kind that the network reader needs before it reads the layer.
struct LayerTraits {
  bool takes_inputs = true;
  bool may_be_tied = false;  ///< true: "tied_to" may name a layer whose weights are used
  NumberClass numbers = NumberClass::kWidest;
};

struct LayerKind {
  std::string_view name;          ///< "type" in network files, such as "conv"
  std::string_view summary = {};  ///< what the kind computes, in one line for `list` and docs
  /// Reads the keys of the kind from `spec`. The network reader handles "name", "type" and "inputs", and rejects keys
  /// that nobody has read. Throws SpecError for impossible values, and for numbers that are too large.
  LayerModel (*read)(const SpecView& spec, const LayerInputs& inputs);
  LayerTraits traits = {};
};

/// Returns all kinds in the order of CMakeLists.txt.
[[nodiscard]] std::span<const LayerKind* const> layer_kinds();
/// Returns the kind called `name`; null if there is none.
[[nodiscard]] const LayerKind* find_layer_kind(std::string_view name);

}  // namespace ooc
