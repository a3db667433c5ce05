// Element-wise activations.
#include "model/layers/activation.hpp"

#include "model/layers/attributes.hpp"
#include "model/layers/work.hpp"

namespace ooc {

LayerModel read_activation(const SpecView& spec, const LayerInputs& inputs,
                           const ActivationTraits& traits) {
  LayerModel model;
  model.output = single_input(spec, inputs);
  model.in_place = read_in_place(spec, traits.in_place);
  if (model.in_place == InPlace::kRequired && traits.saves == ActivationSaves::kInput) {
    spec.get("in_place")
        .fail("true", "false or nothing", "the backward pass of this layer reads its input");
  }
  const Wide count = elements(model.output);
  const Wide bytes = count * inputs.element_bytes();
  model.work.forward = to_task_work(spec, {count * traits.forward_flops, Wide(2) * bytes, 0});
  model.work.backward_data =
      to_task_work(spec, {count * traits.backward_flops, Wide(3) * bytes, 0});
  model.saves.inputs = traits.saves == ActivationSaves::kInput;
  model.saves.output = traits.saves == ActivationSaves::kOutput;
  model.saves.input_serves = traits.input_serves;
  model.saves.input_out_of_place = traits.input_out_of_place;
  model.saves.clamps = traits.clamps;
  model.is_activation = true;
  return model;
}

}  // namespace ooc
