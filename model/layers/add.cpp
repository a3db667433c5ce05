// Sum of two or more tensors of the same shape (residual connections): reads every input, writes
// the output, n - 1 FLOPs per element. Saves nothing.
//
// Backward computes nothing: the gradient is handed on as it is to one input and copied for those
// that cannot share it. `work.backward_data` is one such copy, a read and a write; whether and how
// often one is needed is the graph's to know (Task::copies). PALEO's Elementwise counts nothing.
#include <fmt/format.h>

#include "model/layers/attributes.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

LayerModel read_add(const SpecView& spec, const LayerInputs& inputs) {
  require_several_inputs(spec, inputs);
  LayerModel model;
  model.output = inputs.shapes.front();
  for (std::size_t i = 1; i < inputs.shapes.size(); ++i) {
    if (inputs.shapes[i] != model.output) {
      spec.fail(fmt::format("{} and {}", describe_input(inputs, 0), describe_input(inputs, i)),
                "inputs of the same shape");
    }
  }
  const auto count = static_cast<std::int64_t>(inputs.shapes.size());
  const Wide bytes = elements(model.output) * inputs.element_bytes();
  model.work.forward =
      to_task_work(spec, {elements(model.output) * (count - 1), bytes * (count + 1), 0});
  model.work.backward_data = to_task_work(spec, {0, Wide(2) * bytes, 0});
  model.gradient_form = GradientForm::kAliasOrCopy;
  return model;
}

}  // namespace

extern const LayerKind add_kind{"add", "sum of tensors of the same shape", &read_add};

}  // namespace ooc
