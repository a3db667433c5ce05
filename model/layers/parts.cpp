// The end of every list of parts, and its limit.
#include "model/layers/parts.hpp"

#include <fmt/format.h>

#include <memory>

#include "model/layers/read_layer.hpp"
#include "model/layers/work.hpp"

namespace ooc {

PartId LayerPartList::add(std::string name, const LayerKind& kind, std::string_view fields,
                          const std::vector<PartInput>& inputs) {
  std::vector<TensorShape> shapes;
  std::vector<std::int64_t> bytes;
  for (const PartInput& input : inputs) {
    if (const auto* outer = std::get_if<OuterInputId>(&input)) {
      shapes.push_back(inputs_.shapes[outer->at()]);
      bytes.push_back(inputs_.bytes_of(outer->at()));
    } else {
      const LayerModel& part = model_of(std::get<PartId>(input));
      shapes.push_back(part.output);
      bytes.push_back(part.output_bytes_per_element);
    }
  }
  LayerInputs own = inputs_;
  own.shapes = shapes;
  own.names = {};
  own.element = {};
  own.own_type = own_type_;
  if (own.precision) own.bytes = bytes;
  LayerModel model;
  try {
    const SpecDocument document = read_spec_text(fmt::format("{{{}}}", fields), spec_.file());
    model = read_layer(kind, SpecView(document), own);
  } catch (const SpecError& error) {
    SpecError::Parts parts = error.parts();
    parts.place = spec_.pointer();
    parts.hint = name.empty() ? "" : fmt::format("its part {}", name);
    throw SpecError(std::move(parts));
  }
  if (!model.parts) {
    parts_.push_back({std::move(name), inputs, std::move(model), &kind});
    return make_id<PartId>(parts_.size() - 1);
  }
  const std::size_t first = parts_.size();
  for (LayerPart part : *model.parts) {
    for (PartInput& input : part.inputs) {
      if (const auto* outer = std::get_if<OuterInputId>(&input)) {
        input = inputs[outer->at()];
      } else {
        input = make_id<PartId>(first + std::get<PartId>(input).at());
      }
    }
    part.name = part.name.empty() ? name : fmt::format("{}/{}", name, part.name);
    parts_.push_back(std::move(part));
  }
  return make_id<PartId>(parts_.size() - 1);
}

LayerModel LayerPartList::finish() {
  LayerModel model;
  model.output = parts_.back().model.output;
  model.output_bytes_per_element = parts_.back().model.output_bytes_per_element;
  model.parts = std::make_shared<const std::vector<LayerPart>>(std::move(parts_));
  return model;
}

void require_few_parts(const SpecView& spec, Wide count, std::string_view what) {
  if (!(count > Wide(kMaxParts))) return;
  spec.fail(fmt::format("{}, {} layers once time steps are unrolled", what, wide_text(count)),
            fmt::format("at most {}", kMaxParts), "shorter sequences");
}

LayerModel finish_parts(const SpecView& spec, const LayerInputs& inputs, const TensorShape& output,
                        const std::vector<PartId>& steps, PartList parts) {
  LayerModel gather;
  gather.output = output;
  gather.work.forward =
      to_task_work(spec, {0, Wide(2) * elements(output) * inputs.element_bytes(), 0});
  gather.gradient_form = GradientForm::kSlices;
  parts.add("", {steps.begin(), steps.end()}, std::move(gather));
  LayerModel model;
  model.output = output;
  model.parts = std::make_shared<const std::vector<LayerPart>>(parts.take());
  return model;
}

}  // namespace ooc
