// Batch normalisation over the channels, the first dimension: { "type": "batch_norm", "affine": true }. In training
// the statistics need a pass over the whole batch before the output can be written, so X is read
// twice forward, X and dY twice backward (normalization.hpp).
#include "model/layers/attributes.hpp"
#include "model/layers/normalization.hpp"

namespace ooc {
namespace {

LayerModel read_batch_norm(const SpecView& spec, const LayerInputs& inputs) {
  const TensorShape& input = single_input(spec, inputs);
  LayerModel model = make_normalization(
      spec, inputs,
      {.channels = input.dims.front(), .passes = 2, .vectors = vectors_if_affine(spec)});
  model.saves.statistics_fixed = 2 * input.dims.front();
  return model;
}

}  // namespace

extern const LayerKind batch_norm_kind{"batch_norm", "batch normalisation over channels",
                                       &read_batch_norm};

}  // namespace ooc
