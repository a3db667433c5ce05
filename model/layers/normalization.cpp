// Work of the normalisations.
#include "model/layers/normalization.hpp"

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
  model.parameters = to_parameters(spec, inputs, Wide(2) * traits.channels);
  model.work.forward = to_task_work(
      spec, {count * kForwardFlops, bytes * (traits.passes + 1), Wide(2) * per_channel});
  model.work.backward_data = to_task_work(
      spec, {count * kBackwardFlops, bytes * (2 * traits.passes + 1), Wide(3) * per_channel});
  model.saves.inputs = true;
  model.is_feature_extractor = true;
  return model;
}

}  // namespace ooc
