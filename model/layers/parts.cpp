// The end of every list of parts, and its limit.
#include "model/layers/parts.hpp"

#include <fmt/format.h>

#include <memory>

#include "model/layers/work.hpp"

namespace ooc {

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
