// A gated MLP's middle in one kernel (Shazeer, arXiv:2002.05202): { "type": "gated", "activation":
// "silu" | "gelu" | "relu" } of two inputs of one shape, act(gate) x up. Saves its two inputs alone and
// computes the activation again in backward; as the layers silu and multiply it keeps act(gate) too.
//
// Per element forward the activation's FLOPs (5, 5, 1) and one, 3 moved; backward twice those and 4, 5
// moved (gate, up, dY read; both gradients written). PALEO counts nothing.
#include <fmt/format.h>

#include "model/layers/attributes.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

LayerModel read_gated(const SpecView& spec, const LayerInputs& inputs) {
  if (inputs.shapes.size() != 2) {
    spec.fail(fmt::format("{} inputs", inputs.shapes.size()), "two inputs, gate and up",
              "name them in \"inputs\"");
  }
  if (inputs.shapes[0] != inputs.shapes[1]) {
    spec.fail(fmt::format("{} and {}", describe_input(inputs, 0), describe_input(inputs, 1)),
              "inputs of the same shape");
  }
  const bool relu = spec.get("activation").as_choice({"silu", "gelu", "relu"}) == "relu";
  const std::int64_t activation = relu ? 1 : 5;
  LayerModel model;
  model.output = inputs.shapes[0];
  const Wide count = elements(model.output);
  const Wide bytes = count * inputs.element_bytes();
  model.work.forward = to_task_work(spec, {count * (activation + 1), Wide(3) * bytes, 0});
  model.work.backward_data = to_task_work(spec, {count * (2 * activation + 4), Wide(5) * bytes, 0});
  model.saves.inputs = true;
  return model;
}

}  // namespace

extern const LayerKind gated_kind{"gated", "activation of one input times the other, in one kernel",
                                  &read_gated};

}  // namespace ooc
