// Flatten: [C, H, W] -> [C H W], a view: no bytes, no time.
#include "model/layers/attributes.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

LayerModel read_flatten(const SpecView& spec, const LayerInputs& inputs) {
  LayerModel model;
  model.output =
      output_shape(spec, inputs, std::vector<Wide>{elements(single_input(spec, inputs))});
  model.is_view = true;
  return model;
}

}  // namespace

extern const LayerKind flatten_kind{"flatten", "one dimension; a view", &read_flatten};

}  // namespace ooc
