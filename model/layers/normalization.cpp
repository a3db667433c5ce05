// Work of the normalisations.
#include "model/layers/normalization.hpp"

#include <optional>

#include "model/layers/attributes.hpp"
#include "model/layers/work.hpp"

namespace ooc {

LayerModel make_normalization(const SpecView& spec, const LayerInputs& inputs,
                              const NormalizationTraits& traits) {
  constexpr std::int64_t kForwardFlops = 5;
  constexpr std::int64_t kBackwardFlops = 9;
  LayerModel model;
  model.output = single_input(spec, inputs);
  const Wide element = inputs.element_bytes();
  const Wide count = elements(model.output);
  const Wide bytes = element * count;
  const Wide per_channel = element * traits.channels;
  model.parameters = to_parameters(spec, inputs, Wide(traits.vectors) * traits.channels);
  model.work.forward = to_task_work(
      spec, {count * kForwardFlops, bytes * (traits.passes + 1), per_channel * traits.vectors});
  model.work.backward_data =
      to_task_work(spec, {count * kBackwardFlops, bytes * (2 * traits.passes + 1),
                          per_channel * (traits.vectors > 0 ? traits.vectors + 1 : 0)});
  model.saves.inputs = true;
  model.is_feature_extractor = true;
  model.launches.update = traits.vectors;
  return model;
}

std::int64_t vectors_if_affine(const SpecView& spec) { return spec.flag("affine", true) ? 2 : 0; }

LayerModel make_group_normalization(const SpecView& spec, const LayerInputs& inputs,
                                    std::int64_t groups) {
  LayerModel model = make_normalization(spec, inputs,
                                        {.channels = single_input(spec, inputs).dims.front(),
                                         .passes = 2,
                                         .vectors = vectors_if_affine(spec)});
  model.saves.statistics_per_sample = 2 * groups;
  return model;
}

std::int64_t channels_of_rows(const TensorShape& shape) {
  return shape.dims.size() <= 2 ? shape.dims.back() : shape.dims.front();
}

NormForm read_norm_form(const SpecView& spec) {
  const std::optional<SpecView> form = spec.find("form");
  if (!form) return NormForm::kFused;
  const std::string name = form->as_choice({"fused", "eager", "eager_float32"});
  if (name == "eager_float32") return NormForm::kEagerFloat32;
  return name == "eager" ? NormForm::kEager : NormForm::kFused;
}

void set_eager_form(const SpecView& spec, const LayerInputs& inputs, std::int64_t rows,
                    FirstOperand first, LayerModel& model) {
  constexpr std::int64_t kFloat32Bytes = 4;
  const std::int64_t element = inputs.bytes_of(0);
  model.saves.inputs = first == FirstOperand::kInput && element == kFloat32Bytes;
  const bool wide = read_norm_form(spec) == NormForm::kEagerFloat32;
  const std::int64_t normalised = wide ? kFloat32Bytes : element;
  const std::int64_t each = model.saves.inputs ? element : kFloat32Bytes + normalised;
  model.saves.reserve_bytes =
      to_count(spec, elements(model.output) * each + Wide(kNormStatisticBytes) * rows,
               "bytes of normalised values a sample");
  // The square and the product with 1 / rms both save the float32 copy, or the difference to the mean.
  if (!model.saves.inputs) {
    model.saves.twice_bytes =
        to_count(spec, elements(model.output) * kFloat32Bytes, "bytes of float32 values a sample");
  }
  // Tensors read or written: in float32 between casts, by the casts, in the input's type.
  const bool casts = element != kFloat32Bytes;
  model.launches.forward = casts ? 8 : 6;
  model.launches.backward = casts ? 15 : 12;
  const bool own = first == FirstOperand::kOwn;
  const auto bytes = [&](std::int64_t in_float32, std::int64_t in_type) {
    const std::int64_t by_casts = casts ? 2 * (kFloat32Bytes + element) : 0;
    return elements(model.output) * (in_float32 * kFloat32Bytes + by_casts + in_type * element);
  };
  const auto set = [&](TaskWork& work, const Wide& moved) {
    work.bytes_per_sample = to_count(spec, moved, "bytes moved a sample");
  };
  // Products with the weights, which are broadcast, and the casts to float32.
  const std::int64_t count = to_count(spec, elements(model.output), "numbers a sample");
  for (EagerWalk* walk : {&model.walk_forward, &model.walk_backward}) {
    walk->add(count, 2 * element);
    if (casts) walk->add(count, element + kFloat32Bytes);
  }
  set(model.work.forward, bytes(own ? 8 : 5, 2));
  set(model.work.backward_data, bytes(own ? 20 : 17, 6));
}

}  // namespace ooc
