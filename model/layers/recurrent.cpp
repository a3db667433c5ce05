// Unrolling over time, and the work of a step.
#include "model/layers/recurrent.hpp"

#include <fmt/format.h>

#include <utility>

#include "model/layers/attributes.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

struct Sequence {
  std::int64_t steps = 1;
  std::int64_t features = 1;
  std::int64_t layers = 1;
  bool bidirectional = false;
};

Sequence read_sequence(const SpecView& spec, const LayerInputs& inputs) {
  const TensorShape& input = single_input(spec, inputs);
  if (input.dims.size() != 2) {
    spec.fail(fmt::format("an input of shape {}", input.text()), "[steps, features]",
              "\"reshape\" or \"transpose\" gives it that shape");
  }
  Sequence sequence{.steps = input.dims[0], .features = input.dims[1]};
  if (const auto layers = spec.find("layers")) sequence.layers = layers->as_integer(1, kMaxParts);
  sequence.bidirectional = spec.flag("bidirectional");
  return sequence;
}

/// One layer in one direction.
struct Pass {
  std::string prefix;                            ///< "0/", "0/forward/"
  const std::vector<std::vector<PartInput>>& x;  ///< by time: what a step reads
  std::int64_t features;
  bool backward;  ///< from the last step to the first
};

/// Adds its steps; the hidden states by time, whatever the order.
std::vector<PartId> unroll(const RecurrentCell& cell, const RecurrentKind& kind, const Pass& pass,
                           PartList& parts) {
  const std::size_t steps = pass.x.size();
  std::vector<PartId> hidden(steps);
  std::optional<CellState> state;
  for (std::size_t i = 0; i < steps; ++i) {
    const std::size_t time = pass.backward ? steps - 1 - i : i;
    const CellPlace place{.prefix = fmt::format("{}{}/", pass.prefix, time),
                          .x = pass.x[time],
                          .features = pass.features,
                          .steps = static_cast<std::int64_t>(steps),
                          .is_first = i == 0,
                          .is_last = i + 1 == steps};
    state = kind.add_step(cell, place, state, parts);
    hidden[time] = state->hidden;
  }
  return hidden;
}

std::shared_ptr<const RecurrentStep> step_of(const RecurrentCell& cell, const CellPlace& place,
                                             std::int64_t products, bool is_gates) {
  return std::make_shared<const RecurrentStep>(RecurrentStep{.gates = products,
                                                             .units = cell.units,
                                                             .features = place.features,
                                                             .steps = place.steps,
                                                             .is_gates = is_gates});
}

}  // namespace

LayerModel read_recurrent(const SpecView& spec, const LayerInputs& inputs,
                          const RecurrentKind& kind) {
  RecurrentCell cell{.spec = spec, .inputs = inputs};
  cell.units = spec.get("units").as_integer(1, kMaxSize);
  if (const auto biases = spec.find("bias_vectors")) cell.bias_vectors = biases->as_integer(0, 2);
  const Sequence sequence = read_sequence(spec, inputs);
  const std::int64_t directions = sequence.bidirectional ? 2 : 1;
  require_few_parts(
      spec, Wide(sequence.steps) * sequence.layers * directions * kind.tasks_per_step + Wide(1),
      fmt::format("{} steps", sequence.steps));
  const TensorShape output =
      output_shape(spec, inputs, std::vector<Wide>{sequence.steps, Wide(directions) * cell.units});

  PartList parts;
  // The first layer reads single steps of one tensor, the others the step below.
  const auto steps = static_cast<std::size_t>(sequence.steps);
  std::vector<std::vector<PartInput>> x(steps, {OuterInputId{0}});
  std::int64_t features = sequence.features;
  std::vector<PartId> outputs;
  for (std::int64_t layer = 0; layer < sequence.layers; ++layer) {
    std::vector<std::vector<PartInput>> above(steps);
    outputs.clear();
    for (std::int64_t direction = 0; direction < directions; ++direction) {
      const char* which = direction == 0 ? "forward/" : "backward/";
      const std::string prefix = fmt::format("{}/{}", layer, directions == 1 ? "" : which);
      const std::vector<PartId> hidden = unroll(
          cell, kind, {.prefix = prefix, .x = x, .features = features, .backward = direction == 1},
          parts);
      for (std::size_t time = 0; time < steps; ++time) above[time].emplace_back(hidden[time]);
      outputs.insert(outputs.end(), hidden.begin(), hidden.end());
    }
    x = std::move(above);
    features = directions * cell.units;  // below 2^49: the output fits
  }
  return finish_parts(spec, inputs, output, outputs, std::move(parts));
}

LayerModel make_gates(const RecurrentCell& cell, const CellPlace& place, const GateTraits& traits) {
  const SpecView& spec = cell.spec;
  const Wide element = cell.inputs.element_bytes();
  const Wide read = Wide(place.features) + cell.units;
  const Wide gates = Wide(4) * cell.units;
  const Wide weights = Wide(traits.products) * cell.units * read;
  const Wide biases = Wide(traits.products) * cell.units * cell.bias_vectors;
  const Wide product = Wide(2) * weights;
  const Wide moved = element * (read + gates);
  const Wide parameter_bytes = element * (weights + biases);

  LayerModel model;
  model.output = output_shape(spec, cell.inputs, std::vector<Wide>{gates});
  const std::int64_t parameters = to_parameters(spec, cell.inputs, weights + biases);
  model.parameters = place.is_first ? parameters : 0;
  model.forward_macs = to_count(spec, weights, "multiply-accumulates a step");
  model.work.forward = to_task_work(
      spec, {product + Wide(traits.activation_flops) * cell.units, moved, parameter_bytes});
  model.work.backward_data = to_task_work(spec, {product, moved, element * weights});
  // Backward the last step comes first: it writes the gradient that the others add to.
  model.work.backward_weights =
      to_task_work(spec, {product, moved, parameter_bytes * (place.is_last ? 1 : 2)});
  const Wide outputs = Wide(traits.products) * cell.units;
  const TaskWork paleo = to_task_work(spec, {product, Wide(kPaleoElementBytes) * (read + outputs),
                                             Wide(kPaleoElementBytes) * weights});
  model.paleo_work = {.forward = paleo, .backward_data = paleo, .backward_weights = paleo};
  model.efficiency = "linear";
  model.backward_form = BackwardForm::kSplit;
  model.saves.inputs = true;
  model.recurrent = step_of(cell, place, traits.products, true);
  return model;
}

LayerModel make_pointwise(const RecurrentCell& cell, const CellPlace& place,
                          const PointwiseTraits& traits) {
  const Wide units = cell.units;
  const Wide bytes = units * cell.inputs.element_bytes();
  LayerModel model;
  model.output = output_shape(cell.spec, cell.inputs, std::vector<std::int64_t>{cell.units});
  model.work.forward =
      to_task_work(cell.spec, {units * traits.forward_flops, bytes * traits.forward_moved, 0});
  model.work.backward_data =
      to_task_work(cell.spec, {units * traits.backward_flops, bytes * traits.backward_moved, 0});
  model.saves.inputs = true;
  model.recurrent = step_of(cell, place, traits.products, false);
  return model;
}

}  // namespace ooc
