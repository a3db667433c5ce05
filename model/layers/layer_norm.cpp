// Layer normalisation over the channels of one position: { "type": "layer_norm" }. Channels are the
// last dimension of [features] and [steps, features], the first of an image [C, H, W] (as ConvNeXt
// normalises). One position's channels fit on chip, so X, and backward X and dY, are read once
// (normalization.hpp).
#include "model/layers/attributes.hpp"
#include "model/layers/normalization.hpp"
#include "model/layers/operation.hpp"

namespace ooc {
namespace {

LayerModel read(const SpecView& spec, const LayerInputs& inputs) {
  const std::vector<std::int64_t>& dims = single_input(spec, inputs).dims;
  const std::int64_t channels = dims.size() <= 2 ? dims.back() : dims.front();
  LayerModel model = make_normalization(spec, inputs, {.channels = channels, .passes = 1});
  const auto rows = static_cast<std::int64_t>(elements(model.output).value() / channels);
  model.saves.statistics_per_sample = to_count(spec, Wide(2) * rows, "statistics a sample");
  model.operation = channelwise_operation("layer_norm", model.output);
  return model;
}

}  // namespace

extern const LayerKind layer_norm_kind;
const LayerKind layer_norm_kind{
    "layer_norm", "layer normalisation over channels", &read, {.numbers = NumberClass::kWide}};

}  // namespace ooc
