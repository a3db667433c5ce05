// Average pool to a given size: { "output": [7, 7] }. Position j of o averages the pixels from
// floor(j i / o) up to ceil((j + 1) i / o) of i, as frameworks do, so neighbouring windows may
// share a pixel. Saves nothing; where the size is that of the input it is a view. Work:
// window.hpp.
#include <numeric>

#include "model/layers/attributes.hpp"
#include "model/layers/window.hpp"

namespace ooc {
namespace {

/// Sum over j of ceil((j + 1) i / o) - floor(j i / o): every window covers i / o pixels, and one that begins inside a pixel
/// shares it with the window before. Window j (0 < j < o) begins inside a pixel unless o divides j i, which holds for
/// gcd(i, o) - 1 of them; so the sum is i + o - gcd(i, o).
Wide visits_of(std::int64_t input, std::int64_t output) {
  return Wide::from(Int128{input} + output - std::gcd(input, output));
}

LayerModel read_adaptive_avg_pool(const SpecView& spec, const LayerInputs& inputs) {
  const TensorShape& input = single_input(spec, inputs);
  const std::size_t rank = spatial_rank(spec, input);
  (void)spec.get("output");
  const std::vector<std::int64_t> sizes = *find_sizes(spec, "output", rank, 1);
  Wide visits = input.dims[0];
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    visits = visits * visits_of(input.dims[d + 1], sizes[d]);
  }

  LayerModel model;
  model.output = output_shape(spec, inputs, with_channels(input.dims[0], sizes));
  set_pool_work(spec, inputs, PoolKind::kAverage, visits, model);
  model.is_view = model.output == input;
  return model;
}

}  // namespace

extern const LayerKind adaptive_avg_pool_kind{"adaptive_avg_pool", "average pool to a given size",
                                              &read_adaptive_avg_pool};

}  // namespace ooc
