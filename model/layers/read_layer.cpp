// Frozen layers keep nothing for the gradients of weights: where data and weights have tasks of their own (linear, conv,
// embedding) that is all that they save. Norms keep their input and statistics, which the gradient of the input reads too.
//
// Where it is wrong: the backward task of a frozen norm is as long as that of one that learns (2 of 8 FLOPs an
// element, and its weights' gradient, are not done).
#include "model/layers/read_layer.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/base/errors.hpp"
#include "model/base/precision.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

bool casts_inputs(NumberClass numbers) {
  return numbers != NumberClass::kWidest && numbers != NumberClass::kTable;
}

Dtype type_of(NumberClass numbers, const PrecisionInfo& precision, std::optional<Dtype> own) {
  const bool multiplies = numbers == NumberClass::kLinear || numbers == NumberClass::kProduct;
  // TF32 is a way to multiply float32.
  if (own && multiplies && precision.products != Dtype::kTf32) return *own;
  if (numbers == NumberClass::kLinear) return precision.products;
  return numbers == NumberClass::kProduct ? precision.dtype : Dtype::kFloat32;
}

class PrecisionSetter {
 public:
  PrecisionSetter(const SpecView& spec, NumberClass numbers, const LayerInputs& inputs,
                  LayerModel& model)
      : spec_(spec),
        numbers_(numbers),
        inputs_(inputs),
        precision_(precision_info(*inputs.precision)),
        computes_in_own_(inputs.computes_in_own_type()),
        model_(model) {}

  void run() {
    set_types(model_);
    for (std::size_t i = 0; i < inputs_.shapes.size(); ++i) {
      if (casts_inputs(numbers_) || computes_in_own_) {
        cast(i);
      } else if (numbers_ == NumberClass::kWidest) {
        read_as_it_is(i);
      }
    }
    if (precision_.autocasts() && model_.storage && is_quantised(*model_.storage)) widen_result();
  }

  /// Parts compute in one type; what they read from outside stays as it is.
  void run_on_parts() {
    std::vector<LayerPart> parts = *model_.parts;
    for (LayerPart& part : parts) {
      if (part.kind == nullptr) set_types(part.model);
    }
    model_.parts = std::make_shared<const std::vector<LayerPart>>(std::move(parts));
  }

 private:
  [[nodiscard]] Wide count(std::size_t input) const { return elements(inputs_.shapes[input]); }

  void set_types(LayerModel& model) {
    if (model.output_bytes_per_element == 0) {
      model.output_bytes_per_element = inputs_.element_bytes();
    }
    model.computes_in =
        type_of(numbers_, precision_,
                computes_in_own_ ? std::optional(inputs_.own_type->dtype) : std::nullopt);
    if (!copies_weights(model)) return;
    LayerCasts& casts = model.casts;
    casts.parameters = weights_of(model);
    casts.copy_traffic = to_count(spec_, Wide(casts.parameters) * (kept_bytes() + precision_.copy),
                                  "bytes of casts");
    add_fixed(model.work.forward, casts.copy_traffic);
    if (precision_.copies != WeightCopies::kPerGroup) {
      // Weights and bias, and their gradients back.
      const std::int64_t casts_each = model.launches.backward_weights;
      model.launches.forward += casts_each;
      model.launches.backward_weights += casts_each;
      return;
    }
    add_fixed(model.work.backward_data, casts.copy_traffic);
  }

  /// Autocast copies what its products read, float8 what is multiplied in it, FSDP all.
  [[nodiscard]] bool copies_weights(const LayerModel& model) const {
    if (inputs_.own_type && (computes_in_own_ || is_own_narrow())) return false;
    const bool has_weights = weights_of(model) > 0 && !model.storage;
    switch (precision_.copies) {
      case WeightCopies::kNone:
        return has_weights && precision_.copy > 0 && inputs_.own_type &&
               inputs_.own_type->autocasts;
      case WeightCopies::kPerGroup:
        return has_weights;
      case WeightCopies::kSaved:
        return has_weights && (precision_.autocasts() ? casts_inputs(numbers_) && !is_wide()
                                                      : numbers_ == NumberClass::kLinear);
    }
    return false;
  }
  /// Its own and those that it is tied to.
  [[nodiscard]] static std::int64_t weights_of(const LayerModel& model) {
    const bool shares = model.is_tied && model.weight_matrix;
    return model.parameters +
           (shares ? model.weight_matrix->rows * model.weight_matrix->columns : 0);
  }
  /// Parameters that have the type of the products as they are.
  [[nodiscard]] bool is_own_narrow() const { return kept_bytes() <= precision_.copy; }
  [[nodiscard]] std::int64_t kept_bytes() const {
    return inputs_.own_type ? dtype_info(inputs_.own_type->dtype).bytes : precision_.weight;
  }
  [[nodiscard]] bool is_wide() const { return numbers_ == NumberClass::kWide; }

  /// The kernel reads a copy: written forward, kept where backward reads the input; its gradient is cast back.
  void cast(std::size_t input) {
    const std::int64_t has = inputs_.bytes_of(input);
    const std::int64_t wants = inputs_.element_bytes();
    const bool is_narrowed = numbers_ == NumberClass::kLinear && !computes_in_own_;
    const std::int64_t keeps = is_narrowed ? precision_.linear_saved : wants;
    if (has == keeps) return;
    const Wide kept = count(input) * keeps;
    const std::int64_t forward = bytes(count(input) * (has + keeps));
    model_.casts.forward_per_sample += forward;
    add(model_.work.forward, forward);
    ++model_.launches.forward;
    if (has < keeps) model_.walk_forward.add(bytes(count(input)), has + keeps);
    const Saves& saves = model_.saves;
    const bool read = saves.inputs && input >= saves.unread_inputs &&
                      input + saves.unread_last < inputs_.shapes.size();
    if (read) {
      model_.saves.copied_inputs |= std::uint32_t{1} << input;
      model_.saves.reserve_bytes =
          to_count(spec_, Wide(model_.saves.reserve_bytes) + kept, "bytes of copies a sample");
    } else if (!is_wide()) {  // what a norm keeps instead of its input is the copy
      model_.work.forward.workspace_per_sample += bytes(kept);
    }
    if (has == wants) return;
    const std::int64_t backward = bytes(count(input) * (has + wants));
    model_.casts.backward_per_sample += backward;
    add(model_.work.backward_data, backward);
    ++model_.launches.backward;
    if (has > wants) model_.walk_backward.add(bytes(count(input)), has + wants);
    model_.work.backward_data.workspace_per_sample += bytes(count(input) * wants);
  }

  /// bitsandbytes gives its result the type of what it reads, and autocast leaves that alone.
  void widen_result() {
    const std::int64_t wants = inputs_.bytes_of(0);
    const std::int64_t has = inputs_.element_bytes();
    if (wants <= has) return;
    model_.output_bytes_per_element = wants;
    const Wide numbers = elements(model_.output);
    for (TaskWork* work : {&model_.work.forward, &model_.work.backward_data}) {
      add(*work, bytes(numbers * (has + wants)));
      work->workspace_per_sample += bytes(numbers * has);
    }
    model_.casts.forward_per_sample += bytes(numbers * (has + wants));
    model_.casts.backward_per_sample += bytes(numbers * (has + wants));
    ++model_.launches.forward;
    ++model_.launches.backward;
  }

  /// The kernel widens on its way what is narrower than its result.
  void read_as_it_is(std::size_t input) {
    const std::int64_t narrower = inputs_.element_bytes() - inputs_.bytes_of(input);
    if (narrower <= 0) return;
    std::int64_t& traffic = model_.work.forward.bytes_per_sample;
    traffic = std::max<std::int64_t>(0, traffic - bytes(count(input) * narrower));
  }

  [[nodiscard]] std::int64_t bytes(Wide count) const {
    return to_count(spec_, count, "bytes of casts a sample");
  }
  void add(TaskWork& work, std::int64_t more) const {
    work.bytes_per_sample = bytes(Wide(work.bytes_per_sample) + more);
  }
  void add_fixed(TaskWork& work, std::int64_t more) const {
    work.bytes_fixed = bytes(Wide(work.bytes_fixed) + more);
  }

  const SpecView& spec_;
  NumberClass numbers_;
  const LayerInputs& inputs_;
  const PrecisionInfo& precision_;
  bool computes_in_own_;
  LayerModel& model_;
};

std::int64_t computed_bytes(const LayerKind& kind, const PrecisionInfo& precision,
                            std::span<const std::int64_t> inputs) {
  switch (kind.traits.numbers) {
    case NumberClass::kProduct:
    case NumberClass::kLinear:
      return precision.activation;
    case NumberClass::kWide:
    case NumberClass::kTable:
      return precision.wide;
    case NumberClass::kWidest:
      break;
  }
  return inputs.empty() ? precision.wide : *std::ranges::max_element(inputs);
}

void set_precision(const SpecView& spec, const LayerKind& kind, const LayerInputs& inputs,
                   LayerModel& model) {
  OOC_CHECK(inputs.precision.has_value(), "there is a precision");
  PrecisionSetter setter(spec, kind.traits.numbers, inputs, model);
  model.parts ? setter.run_on_parts() : setter.run();
}

void freeze(LayerModel& model) {
  model.is_frozen = true;
  if (model.backward_form != BackwardForm::kSplit) return;
  model.saves = {};
  model.work.backward_weights = {};
  model.paleo_work.backward_weights = {};
}

/// Kernels of bitsandbytes' MatMul8bitLt beside the product (0.50: autograd/_functions.py, backends/cuda/ops.py), of
/// bfloat16 and a threshold. Forward: inputs to float16, abs, compare, any, quantise, a zero for columns of outliers, result
/// rescaled, and cast; some 12 more where there are outliers. Backward: weights cast, their scales divided, multiplied.
constexpr std::int64_t kInt8Forward = 8;
constexpr std::int64_t kInt8Backward = 3;

/// Weights that are stored in another type than they are multiplied in are written out for each use.
void unpack(const SpecView& spec, const LayerInputs& inputs, LayerModel& model) {
  const WeightCounts counts{.matrix = weight_counts(model).matrix};
  if (counts.matrix == 0 || !model.products) return;
  const std::int64_t whole = inputs.element_bytes();
  const std::int64_t stored = stored_bytes(*model.storage, counts);
  if (!is_quantised(*model.storage) && stored == counts.matrix * whole) return;
  const Wide written = Wide(counts.matrix) * whole;
  const bool scales_too = *model.storage == WeightStorage::kNf4Double;
  // Scales are unpacked, shifted and then read: 16 bytes more for each 64 weights.
  const std::int64_t scales = scales_too ? counts.matrix / 4 : 0;
  model.casts.unpacking = to_count(spec, written + stored + scales, "bytes of weights written out");
  if (scales_too || *model.storage == WeightStorage::kNf4) model.casts.four_bits = counts.matrix;
  const bool eight_bits = *model.storage == WeightStorage::kInt8;
  model.launches.forward += eight_bits ? kInt8Forward : scales_too ? 3 : 1;
  model.launches.backward += eight_bits ? kInt8Backward : scales_too ? 3 : 1;
  for (TaskWork* work : {&model.work.forward, &model.work.backward_data}) {
    work->bytes_fixed = to_count(spec, Wide(work->bytes_fixed) + model.casts.unpacking,
                                 "bytes of weights written out");
    work->workspace_fixed = to_count(spec, written, "bytes of workspace");
  }
}

void set_storage(const SpecView& spec, const LayerInputs& inputs, LayerModel& model) {
  const std::optional<SpecView> asked = spec.find("storage");
  std::optional<WeightStorage> storage = inputs.storage;
  if (asked) storage = read_weight_storage(*asked);
  if (!storage) return;
  const bool multiplies = weight_counts(model).matrix > 0 && model.products;
  if (asked && !model.is_frozen) {
    asked->fail(asked->found(), "\"frozen\": true beside it", "weights that are learnt are whole");
  }
  if (asked && is_quantised(*storage) && !multiplies) {
    asked->fail(asked->found(), "\"bf16\" or \"fp32\", or a linear layer with weights of its own");
  }
  if (!model.is_frozen || model.parameters == 0) return;
  model.storage = is_quantised(*storage) && !multiplies ? WeightStorage::kBf16 : *storage;
  unpack(spec, inputs, model);
}

}  // namespace

bool read_frozen(const SpecView& spec, const LayerInputs& inputs) {
  return spec.flag("frozen", inputs.frozen);
}

LayerModel read_layer(const LayerKind& kind, const SpecView& spec, LayerInputs inputs) {
  if (inputs.precision) {
    inputs.element = inputs.computes_in_own_type()
                         ? dtype_info(inputs.own_type->dtype).bytes
                         : computed_bytes(kind, precision_info(*inputs.precision), inputs.bytes);
  }
  LayerModel model = kind.read(spec, inputs);
  const bool frozen = read_frozen(spec, inputs);
  if (model.parts) {
    const bool is_whole = model.parts->front().kind != nullptr;  // its layers have read "storage"
    const std::optional<SpecView> storage = spec.find("storage");
    if (storage && !is_whole) {
      storage->fail(storage->found(), "a layer that does not unroll into time steps");
    }
    if (frozen && !is_whole) {
      std::vector<LayerPart> parts = *model.parts;
      for (LayerPart& part : parts) freeze(part.model);
      model.parts = std::make_shared<const std::vector<LayerPart>>(std::move(parts));
    }
  } else {
    const bool has_weights = model.parameters > 0 || model.is_tied;
    if (frozen && has_weights && !model.custom) freeze(model);
    set_storage(spec, inputs, model);
    const bool is_own = model.parameters > 0 && !model.is_frozen && inputs.own_type;
    if (is_own) model.parameter_type = inputs.own_type->dtype;
  }
  if (inputs.precision) set_precision(spec, kind, inputs, model);
  return model;
}

}  // namespace ooc
