// Instance normalisation (Ulyanov et al., arXiv:1607.08022): each channel of a sample by itself, a group_norm of
// groups of one: { "type": "instance_norm", "affine": true }. PyTorch runs it as a batch norm of all channels of
// all samples, so autocast leaves it in 16 bits, unlike group_norm; its default has no gamma and beta.
#include "model/layers/attributes.hpp"
#include "model/layers/normalization.hpp"

namespace ooc {
extern const LayerKind instance_norm_kind{
    "instance_norm", "normalisation of each channel of a sample",
    [](const SpecView& spec, const LayerInputs& inputs) {
      return make_group_normalization(spec, inputs, single_input(spec, inputs).dims.front());
    }};

}  // namespace ooc
