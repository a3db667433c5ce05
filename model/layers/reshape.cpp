// Reshape: { "type": "reshape", "shape": [16, -1] }. As many elements as the input; one dimension
// may be -1 and takes what is left. A view: no bytes, no time.
#include <fmt/format.h>

#include <optional>

#include "model/layers/attributes.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

LayerModel read_reshape(const SpecView& spec, const LayerInputs& inputs) {
  const TensorShape& input = single_input(spec, inputs);
  const SpecView shape = spec.get("shape");
  std::vector<std::int64_t> dims;
  std::optional<std::size_t> open;
  Wide known = 1;
  for (const SpecView& item : shape.items()) {
    const std::int64_t dim = item.as_integer(-1, kMaxSize);
    if (dim == 0) item.fail("0", "a size >= 1, or -1");
    if (dim == -1 && open) item.fail("a second -1", "at most one -1");
    if (dim == -1) {
      open = dims.size();
    } else {
      known = known * dim;
    }
    dims.push_back(dim);
  }
  const Int128 total = elements(input).value();
  const bool fits = open ? total % known.value() == 0 : total == known.value();
  if (dims.empty() || !fits) {
    shape.fail(fmt::format("{} elements", wide_text(known)),
               fmt::format("{} {} elements of the input ({})", open ? "a divisor of the" : "the",
                           wide_text(Wide::from(total)), input.text()));
  }
  if (open) dims[*open] = static_cast<std::int64_t>(total / known.value());
  LayerModel model;
  model.output = output_shape(spec, inputs, dims);
  model.is_view = true;
  return model;
}

}  // namespace

extern const LayerKind reshape_kind{"reshape", "other dimensions, same elements; a view",
                                    &read_reshape};

}  // namespace ooc
