// Autocast, as torch has it: a kernel of the narrow list casts each input that is wider, every layer for itself
// (only copies of weights are shared), and backward reads the copies; one of the wide list likewise; what
// is on no list takes what comes. docs/model.md, 3 has the lists' source.
//
// Where it is wrong: layers that unroll over time read what comes from outside as it is, and concat's gradient is
// as wide as its output.
#include "model/layers/set_precision.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "model/base/errors.hpp"
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
        type_of(numbers_, precision_, computes_in_own_ ? inputs_.own_type : std::nullopt);
    if (!copies_weights(model)) return;
    LayerCasts& casts = model.casts;
    casts.parameters = weights_of(model);
    casts.copy_traffic = to_count(
        spec_, Wide(casts.parameters) * (precision_.weight + precision_.copy), "bytes of casts");
    add_fixed(model.work.forward, casts.copy_traffic);
    if (precision_.copies != WeightCopies::kPerGroup) return;
    add_fixed(model.work.backward_data, casts.copy_traffic);
  }

  /// Autocast copies what its products read, float8 what is multiplied in it, FSDP all.
  [[nodiscard]] bool copies_weights(const LayerModel& model) const {
    if (inputs_.own_type && (computes_in_own_ || is_own_narrow())) return false;
    const bool has_weights = weights_of(model) > 0 && !model.storage;
    switch (precision_.copies) {
      case WeightCopies::kNone:
        return false;
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
  [[nodiscard]] bool is_own_narrow() const {
    return dtype_info(*inputs_.own_type).bytes <= precision_.copy;
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
    model_.work.backward_data.workspace_per_sample += bytes(count(input) * wants);
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

}  // namespace

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
  return inputs.empty() ? precision.wide : *std::max_element(inputs.begin(), inputs.end());
}

void set_precision(const SpecView& spec, const LayerKind& kind, const LayerInputs& inputs,
                   LayerModel& model) {
  OOC_CHECK(inputs.precision.has_value(), "there is a precision");
  PrecisionSetter setter(spec, kind.traits.numbers, inputs, model);
  if (model.parts) {
    setter.run_on_parts();
  } else {
    setter.run();
  }
}

}  // namespace ooc
