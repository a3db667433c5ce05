// What a layer kind must answer. A kind is a const struct with one function in it: it reads its own
// attributes, infers the output shape and states, as plain data, everything the stages behind it
// need (LayerModel). No later stage asks which kind a layer is. One file per kind; the table of all
// kinds is generated from the list of names in this folder's CMakeLists.txt.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/base/convolution_shape.hpp"
#include "model/base/dtype.hpp"
#include "model/base/ids.hpp"
#include "model/base/precision.hpp"
#include "model/base/spec_tree.hpp"
#include "model/base/streaming_kind.hpp"
#include "model/base/tensor_shape.hpp"
#include "model/base/units.hpp"
#include "model/layers/weight_storage.hpp"

namespace ooc {

/// Work of one task, affine in the batch: FLOPs = batch x flops_per_sample,
/// bytes = batch x bytes_per_sample + bytes_fixed (near-memory traffic, each operand once).
struct TaskWork {
  std::int64_t flops_per_sample = 0;
  std::int64_t bytes_per_sample = 0;
  std::int64_t bytes_fixed = 0;  ///< weights and other operands that do not grow with the batch
  std::int64_t workspace_per_sample =
      0;  ///< bytes that the task needs beside what it reads and writes
  std::int64_t workspace_most =
      0;  ///< of the whole batch, where it is worked off in chunks; 0: any
  std::int64_t workspace_fixed = 0;  ///< bytes beside that, whatever the batch
};

/// Forward and the (up to) two backward tasks. In the fused form backward_data holds all of it. For
/// GradientForm::kAliasOrCopy backward_data is the work of one copied gradient: multiply by
/// Task::copies. For kSlices it is zero.
struct LayerWork {
  TaskWork forward;
  TaskWork backward_data;
  TaskWork backward_weights;
};

enum class BackwardForm {
  kFused,  ///< one backward task: data and parameter gradients together (norms, activations, ...)
  kSplit,  ///< backward-data, then backward-weights (conv, linear): only the latter reads the input
};

/// How the gradient of the output becomes the gradients of the inputs.
enum class GradientForm {
  kComputed,     ///< the backward task computes it
  kAliasOrCopy,  ///< add: handed on as it is; a copy where several inputs want it
  kSlices,       ///< concat: each input's gradient is a slice of the output's, no time
};

/// May the output share the buffer of the (only) input?
enum class InPlace {
  kNever,
  kWhereAlways,   ///< the default of sigmoid and tanh: where a framework runs all it can in place
  kWhenPossible,  ///< the default of relu and dropout
  kRequired,      ///< "in_place": true in the file; where impossible, an error
};

/// What the backward tasks read of the forward pass.
struct Saves {
  bool inputs = false;  ///< all inputs, but for the first `unread_inputs` of them
  bool output = false;
  std::int64_t mask_bytes = 0;      ///< per sample: an extra tensor that forward writes (dropout)
  std::int64_t reserve_bytes = 0;   ///< per sample: the same, of values (attention's weights)
  std::size_t unread_inputs = 0;    ///< leading inputs that backward does not read
  std::size_t unread_last = 0;      ///< inputs at the end that it does not read either
  std::uint32_t copied_inputs = 0;  ///< bit i: of input i backward reads a copy in the reserve
  // What some frameworks keep instead or besides (model/graph/keeping.hpp).
  bool input_serves = false;  ///< relu: backward could read the input in place of the output
  bool clamps =
      false;  ///< relu6, hardsigmoid: the limits, and so in some frameworks its input, matter
  bool input_out_of_place =
      false;  ///< leaky_relu, elu: in some frameworks, unless they run in place, the input
  bool input_for_shape = false;   ///< average pools: the input, for its sizes
  bool input_of_softmax = false;  ///< softmax, losses: besides, in some frameworks, the input
  std::int64_t scores_bytes =
      0;  ///< the same, per sample, where softmax reads no layer's output (attention)
  std::int64_t places = 0;  ///< max pools, per sample: maxima, each with a place in the input
  std::int64_t statistics_per_sample = 0;  ///< layer norm: numbers in float32
  std::int64_t statistics_fixed = 0;       ///< batch norm: the same, whatever the batch
};

/// `custom` states its own times: of the whole task, no launch added.
struct CustomCost {
  /// What times and workspace are for.
  enum class Per {
    kBatch,  ///< the batch that the file states (stated_batch)
    kSample,
  };
  Duration forward;
  Duration backward;
  Bytes workspace;
  Per per = Per::kBatch;
};

/// What grows with the batch in a product of one sample's sizes.
enum class BatchAxis { kN, kK, kCount };

/// A matrix product M x N x K, `count` times, for one sample.
struct LayerProduct {
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  std::int64_t count = 1;
  BatchAxis batch = BatchAxis::kN;
};

/// The products of a layer's tasks, for prices by shape; what is in them is in `LayerWork` too.
struct LayerProducts {
  std::vector<LayerProduct> forward;
  std::vector<LayerProduct> backward_data;  ///< of a fused backward task: all
  std::vector<LayerProduct> backward_weights;
  std::int64_t scores = 0;  ///< attention: bytes a sample of what lies between its products, once
  /// Bytes a sample that kernels beside the products move, each as often as they do.
  std::int64_t beside_forward = 0;
  std::int64_t beside_backward = 0;
};

/// A time step of an unrolled recurrent layer, for prices of the whole: its gates, all in one product.
struct RecurrentStep {
  std::int64_t gates = 4;  ///< products of `units` rows: 4 in an lstm, 3 in a gru
  std::int64_t units = 1;
  std::int64_t features = 1;
  std::int64_t steps = 1;  ///< of the layer
  /// The task of the gates has the step's time; the element-wise ones ride on it.
  bool is_gates = true;
};

/// Copies in other types, where a precision is set (model/layers/set_precision.hpp). Their traffic is in
/// LayerWork too.
struct LayerCasts {
  std::int64_t forward_per_sample = 0;   ///< bytes read and written for inputs
  std::int64_t backward_per_sample = 0;  ///< the same, for their gradients
  std::int64_t parameters = 0;           ///< that products read in a copy
  std::int64_t copy_traffic = 0;         ///< bytes read and written to make that copy
  /// Bytes read and written whenever a product reads weights that are stored in another type.
  std::int64_t unpacking = 0;
};

/// A matrix of weights, as it may be shared: rows are those of the output (linear), of the table (embedding).
struct WeightMatrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  bool operator==(const WeightMatrix&) const = default;
};

struct LayerPart;

/// Everything the later stages know of a layer. All counts are per sample unless said otherwise.
struct LayerModel {
  TensorShape output;
  std::int64_t parameters = 0;       ///< its own: not what it is tied to
  std::int64_t idle_parameters = 0;  ///< of those, of a mixture's experts that a row is not sent to
  /// What others may be tied to; of a layer that is tied itself, what it shares.
  std::optional<WeightMatrix> weight_matrix;
  bool is_tied = false;    ///< the matrix is another layer's ("tied_to")
  bool is_frozen = false;  ///< nothing of it is learnt: no gradient, no state, no update
  /// How frozen weights are kept; none: as those that are learnt.
  std::optional<WeightStorage> storage;
  /// Type of parameters that are learnt, in place of the precision's: adapters'.
  std::optional<Dtype> parameter_type;
  std::int64_t forward_macs = 0;  ///< of convolutions and matrix products, bias not counted
  std::int64_t masked_macs =
      0;  ///< of those what a mask makes of no account: computed all the same
  std::int64_t output_bytes_per_element = 0;  ///< 0: the network's type
  LayerWork work;                             ///< the native model's FLOPs and bytes
  LayerWork paleo_work;  ///< PALEO's (docs/paleo.md); all zero where it counts nothing
  bool paleo_backward_data_always = false;  ///< PALEO: no "parent is data" shortcut (InnerProduct)
  std::string efficiency = "default";       ///< key of the profile's compute.efficiency
  BackwardForm backward_form = BackwardForm::kFused;
  GradientForm gradient_form = GradientForm::kComputed;
  /// kAliasOrCopy: all inputs get the same buffer, since who reads it first leaves it as it is.
  bool shares_gradient = false;
  Saves saves;
  InPlace in_place = InPlace::kNever;
  bool is_view = false;  ///< aliases its input, no task at all; unless the framework keeps that
                         ///< (is_view(), model/graph/buffers.hpp)
  bool is_loss = false;  ///< its backward task reads no gradient, whatever follows it
  bool is_activation = false;   ///< relu, gelu, sigmoid, tanh, silu: schedules flag by kind class
  bool is_convolution = false;  ///< conv, conv_transpose, custom: vdnn-conv's consumers
  bool is_feature_extractor = false;  ///< those and pools and norms: vdnn-all's consumers
  StreamingKind streaming = StreamingKind::kElementwise;  ///< where it is one kernel through memory
  std::optional<CustomCost> custom;
  /// conv: its sizes, for what knows several algorithms; none for all other kinds.
  std::shared_ptr<const ConvolutionShape> convolution;
  /// conv_transpose: the convolution that leads from its output back to its input.
  std::shared_ptr<const ConvolutionShape> mirrored_convolution;
  std::shared_ptr<const LayerProducts> products;  ///< linear, matmul, attention
  bool is_fused_product = false;                  ///< flash attention: all products in one kernel
  /// What its kernels compute in, where a precision is set; none: the network's type.
  std::optional<Dtype> computes_in;
  LayerCasts casts;
  std::shared_ptr<const RecurrentStep> recurrent;  ///< parts of lstm and gru
  /// Where a kind unrolls into several layers (lstm, gru: one or more per time step): those, the
  /// last of which gives `output`. Nothing else of such a model counts; the network reader puts the
  /// parts in the layer's place (docs/notebook/0003), so later stages never see this.
  std::shared_ptr<const std::vector<LayerPart>> parts;
};

using OuterInputId = Id<struct OuterInputTag>;  ///< an input of the layer that unrolls
using PartId = Id<struct PartTag>;              ///< an earlier part of it

struct LayerKind;

struct LayerPart {
  std::string name;  ///< behind the layer's name and a slash; empty for the last part: that has
                     ///< the layer's own name
  std::vector<std::variant<OuterInputId, PartId>> inputs;
  LayerModel model;
  /// Of which the part is a layer, complete in its precision; none: a piece of the kind that unrolls.
  const LayerKind* kind = nullptr;
};

/// What a kind sees of the network when it reads its layer.
struct LayerInputs {
  std::span<const TensorShape> shapes;  ///< at least one, but for kinds that take none
  Dtype dtype = Dtype::kFloat32;
  /// The producers' names, for messages only; empty, or as many as shapes.
  std::span<const std::string_view> names = {};
  std::optional<Precision> precision = {};    ///< none: everything has the one type
  std::span<const std::int64_t> bytes = {};   ///< an element, by input; empty: as element_bytes()
  std::optional<std::int64_t> element = {};   ///< what this layer computes in; none: the type's
  bool frozen = false;                        ///< unless the layer says other
  std::optional<WeightStorage> storage = {};  ///< of frozen layers that say none
  /// Of the parameters, in place of the precision's; only where there is one.
  std::optional<Dtype> own_type = {};

  /// Of what the layer computes with and, unless its model says other, writes.
  [[nodiscard]] std::int64_t element_bytes() const {
    return element.value_or(dtype_info(dtype).bytes);
  }
  /// Whether the layer also computes in its own type and casts what it reads: where neither autocast nor FSDP casts
  /// for it.
  [[nodiscard]] bool computes_in_own_type() const {
    if (!own_type || !precision) return false;
    const PrecisionInfo& info = precision_info(*precision);
    return !info.autocasts() && info.copies != WeightCopies::kPerGroup;
  }
  /// As the producer wrote it.
  [[nodiscard]] std::int64_t bytes_of(std::size_t input) const {
    return bytes.empty() ? element_bytes() : bytes[input];
  }
};

/// What a kind's kernels compute in where a precision lets them choose (PrecisionInfo::autocasts), after the lists
/// of torch.autocast.
enum class NumberClass {
  kWidest,   ///< in what comes, the widest of it: element-wise kinds, pools, batch norm
  kProduct,  ///< in the narrow type, into which it casts its inputs
  kLinear,   ///< the same, and in float8 where there is that
  kWide,     ///< in the wide type, into which it casts its inputs: norms, softmax, losses
  kTable,    ///< writes the wide type and takes its inputs as they are: embedding
};

/// What the reader of the network must know of a kind before it reads the layer.
struct LayerTraits {
  bool takes_inputs = true;
  bool may_be_tied = false;  ///< reads "tied_to", the name of a layer
  NumberClass numbers = NumberClass::kWidest;
};

struct LayerKind {
  std::string_view name;     ///< as in the file: "conv"
  std::string_view summary;  ///< one line for `list` and docs
  /// Reads the layer's own keys from `spec` (the reader has taken "name", "type" and "inputs" and
  /// rejects what is left). Throws SpecError for anything impossible, overflow included.
  LayerModel (*read)(const SpecView& spec, const LayerInputs& inputs);
  LayerTraits traits = {};
};

/// All kinds, in the order of CMakeLists.txt.
[[nodiscard]] std::span<const LayerKind* const> layer_kinds();
/// The kind of that name, or none.
[[nodiscard]] const LayerKind* find_layer_kind(std::string_view name);

}  // namespace ooc
