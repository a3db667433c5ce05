// Average of each channel over all pixels: [C, ...] -> [C], ready for a linear layer (a flatten behind it changes nothing
// and costs nothing). Saves nothing; over a single pixel it is a view. Work: window.hpp, every pixel visited once.
#include <fmt/format.h>

#include "model/layers/attributes.hpp"
#include "model/layers/window.hpp"

namespace ooc {
namespace {

LayerModel read_global_avg_pool(const SpecView& spec, const LayerInputs& inputs) {
  const TensorShape& input = single_input(spec, inputs);
  if (input.dims.size() < 2) {
    spec.fail(fmt::format("an input of shape {}", input.text()),
              "channels first, then one or more spatial dimensions");
  }
  LayerModel model;
  model.output = output_shape(spec, inputs, std::vector<std::int64_t>{input.dims[0]});
  set_pool_work(spec, inputs, PoolKind::kAverage, elements(input), model);
  model.is_view = elements(input).value() == elements(model.output).value();
  return model;
}

}  // namespace

extern const LayerKind global_avg_pool_kind{"global_avg_pool", "average of each channel",
                                            &read_global_avg_pool};

}  // namespace ooc
