// Batch normalisation over the channels, the first dimension: { "type": "batch_norm" }. In training
// the statistics need a pass over the whole batch before the output can be written, so X is read
// twice forward, X and dY twice backward (normalization.hpp).
#include "model/layers/attributes.hpp"
#include "model/layers/normalization.hpp"

namespace ooc {
namespace {

LayerModel read(const SpecView& spec, const LayerInputs& inputs) {
  return make_normalization(spec, inputs,
                            {.channels = single_input(spec, inputs).dims.front(), .passes = 2});
}

}  // namespace

extern const LayerKind batch_norm_kind;
const LayerKind batch_norm_kind{"batch_norm", "batch normalisation over channels", &read};

}  // namespace ooc
