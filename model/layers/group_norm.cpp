// Group normalisation (Wu & He, arXiv:1803.08494) of a sample's channels, the first dimension, in groups:
// { "type": "group_norm", "groups": 32, "affine": true }; see make_group_normalization.
#include <fmt/format.h>

#include "model/layers/attributes.hpp"
#include "model/layers/normalization.hpp"

namespace ooc {
namespace {

LayerModel read_group_norm(const SpecView& spec, const LayerInputs& inputs) {
  const std::int64_t channels = single_input(spec, inputs).dims.front();
  const SpecView groups = spec.get("groups");
  const std::int64_t count = groups.as_integer(1, kMaxSize);
  if (channels % count != 0) {
    groups.fail(fmt::format("{}", count), fmt::format("a divisor of the {} channels", channels));
  }
  return make_group_normalization(spec, inputs, count);
}

}  // namespace

extern const LayerKind group_norm_kind{"group_norm",
                                       "normalisation of groups of a sample's channels",
                                       &read_group_norm,
                                       {.numbers = NumberClass::kWide}};

}  // namespace ooc
