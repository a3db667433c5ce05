// Upsampling by an integer: { "type": "upsample", "scale": 2, "mode": "nearest" | "bilinear" }, one scale for all spatial
// dimensions or a list. Reads X, writes Y; backward reads dY, writes dX. FLOPs per output element: nearest 0 forward, 1
// addition backward; bilinear (linear in 1-D, trilinear in 3-D) a multiply and an add for each of the 2^d neighbours, both
// ways. Scale 1 is a view. Saves nothing.
#include <algorithm>
#include <optional>

#include "model/layers/attributes.hpp"
#include "model/layers/movement.hpp"
#include "model/layers/window.hpp"

namespace ooc {
namespace {

LayerModel read_upsample(const SpecView& spec, const LayerInputs& inputs) {
  const TensorShape& input = single_input(spec, inputs);
  const std::size_t rank = spatial_rank(spec, input);
  (void)spec.get("scale");
  const std::vector<std::int64_t> scale = *find_sizes(spec, "scale", rank, 1);
  const std::optional<SpecView> mode = spec.find("mode");
  const bool is_bilinear = mode && mode->as_choice({"nearest", "bilinear"}) == "bilinear";

  std::vector<Wide> dims(input.dims.begin(), input.dims.end());
  for (std::size_t d = 0; d < rank; ++d) dims[d + 1] = dims[d + 1] * scale[d];
  LayerModel model;
  model.output = output_shape(spec, inputs, dims);
  model.is_view = std::ranges::all_of(scale, [](std::int64_t s) { return s == 1; });
  if (model.is_view) return model;

  const Wide out = elements(model.output);
  const Wide moved = elements(input) + out;
  const Wide blend = out * (std::int64_t{2} << rank);
  set_movement(spec, inputs,
               {moved, moved, is_bilinear ? blend : Wide(0), is_bilinear ? blend : out}, model);
  return model;
}

}  // namespace

extern const LayerKind upsample_kind{"upsample", "larger images by an integer scale",
                                     &read_upsample};

}  // namespace ooc
