// Layer normalisation over the channels of one position: { "type": "layer_norm", "stats": false,
// "form": "fused" | "eager", "bias": true, "affine": true }. Channels are the last dimension of [features] and
// [steps, features], the first of an image [C, H, W] (as ConvNeXt normalises). One position's channels fit on
// chip, so X, and backward X and dY, are read once (normalization.hpp).
//
// Saves its input; with "stats" mean and deviation of each row too, two float32, whatever the framework says. Eager: the
// difference to the mean in float32, the normalised value and 4 bytes a row, not the input (what the derivatives of its
// element-wise operations need; nobody's was measured). "bias": false is without beta, "affine":
// false without gamma, too.
#include "model/layers/attributes.hpp"
#include "model/layers/normalization.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

LayerModel read_layer_norm(const SpecView& spec, const LayerInputs& inputs) {
  const std::int64_t channels = channels_of_rows(single_input(spec, inputs));
  const std::int64_t vectors = vectors_if_affine(spec);
  const std::int64_t used = read_bias(spec) ? vectors : vectors / 2;
  LayerModel model =
      make_normalization(spec, inputs, {.channels = channels, .passes = 1, .vectors = used});
  const auto rows = static_cast<std::int64_t>(elements(model.output).value() / channels);
  const std::int64_t statistics = to_count(spec, Wide(2) * rows, "statistics a sample");
  const bool eager = read_norm_form(spec) != NormForm::kFused;
  model.sums_rows = !eager;
  model.launches.backward = 2;
  if (eager) set_eager_form(spec, inputs, rows, FirstOperand::kOwn, model);
  const std::optional<SpecView> stats = spec.find("stats");
  if (stats && stats->as_boolean()) {
    if (eager) stats->fail("true", "false beside \"form\": \"eager\"", "that keeps its own");
    model.saves.reserve_bytes = kNormStatisticBytes * statistics;
  } else if (!eager) {
    model.saves.statistics_per_sample = statistics;
  }
  return model;
}

}  // namespace

extern const LayerKind layer_norm_kind{"layer_norm",
                                       "layer normalisation over channels",
                                       &read_layer_norm,
                                       {.numbers = NumberClass::kWide}};

}  // namespace ooc
