// Rotary position embedding (Su et al., arXiv:2104.09864) of queries or keys: { "type": "rotary", "heads": 32, "fraction":
// 1, "form": "fused" | "eager" } on [steps, heads x d]. Pairs of the first fraction x d channels of each head (Hugging
// Face's rotary_pct, partial_rotary_factor) are turned by an angle that grows with the step; backward turns them back.
//
// Per element turned 3 FLOPs each way (two products and a sum). Forward reads X and a table of sines and cosines, 2 T d
// elements whatever the batch, writes Y; backward reads dY, writes dX. The table is a constant: nothing is saved, so it
// runs in place where nobody else needs its input. PALEO counts nothing.
//
// Eager: as Transformers writes it, x cos + (-x2, x1) sin with x1 and x2 the halves of a head, each
// operation reading and writing whole tensors. Forward negates a half, joins two, multiplies twice, adds;
// backward, PyTorch's derivatives one after the other: two products, a negation, two gradients of slices,
// each a tensor of zeros of which half is written, two sums. Of a head turned in part the rest is sliced
// off and joined again. Meta's and torchtitan's complex product between casts to float32 and back moves
// as much forward in 16 bits and two thirds of it backward. One launch is counted, which is too few.
#include <fmt/format.h>

#include <cmath>

#include "model/layers/attributes.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

/// Channels of a head that are turned.
std::int64_t read_turned(const SpecView& spec, std::int64_t head) {
  const std::optional<SpecView> fraction = spec.find("fraction");
  // 0.4 of 80 is a bit less than 32 in binary.
  constexpr double kHair = 1e-9;
  const double share = fraction ? fraction->as_ratio(0.0, 1.0) : 1.0;
  const auto turned =
      static_cast<std::int64_t>(std::floor(share * static_cast<double>(head) * (1 + kHair)));
  if (turned > 0 && turned % 2 == 0) return turned;
  if (fraction) {
    fraction->fail(fmt::format("{}, {} of {} channels of a head", fraction->found(), turned, head),
                   "an even number of them, at least 2", "they are turned in pairs");
  }
  spec.get("heads").fail(fmt::format("heads of {} channels", head),
                         "an even number of channels in each", "they are turned in pairs");
}

LayerModel read_rotary(const SpecView& spec, const LayerInputs& inputs) {
  const TensorShape& input = single_input(spec, inputs);
  if (input.dims.size() != 2) {
    spec.fail(fmt::format("an input of shape {}", input.text()),
              "[steps, heads x width of a head]");
  }
  const SpecView heads = spec.get("heads");
  const std::int64_t count = heads.as_integer(1, kMaxSize);
  if (input.dims[1] % count != 0) {
    heads.fail(fmt::format("{}", count), fmt::format("a divisor of the width {}", input.dims[1]));
  }
  const std::int64_t head = input.dims[1] / count;
  const std::int64_t channels = read_turned(spec, head);
  const bool part = channels < head;
  const Wide turned = Wide(input.dims[0]) * count * channels;
  const std::optional<SpecView> form = spec.find("form");
  const bool eager = form && form->as_choice({"fused", "eager"}) == "eager";
  const Wide element = inputs.element_bytes();
  const Wide tensor = element * elements(input);
  const Wide table = Wide(2) * element * input.dims[0] * head;
  LayerModel model;
  model.output = input;
  model.in_place = read_in_place(spec, eager ? InPlace::kNever : InPlace::kWhenPossible);
  if (eager && model.in_place == InPlace::kRequired) {
    spec.get("in_place")
        .fail("true", "false beside \"form\": \"eager\"", "which makes new tensors");
  }
  const Wide forward = eager ? element * turned * 10 + tensor * (part ? 2 : 0) : tensor * 2;
  const Wide backward = eager ? element * turned * 15 + tensor * (part ? 7 : 0) : tensor * 2;
  model.work.forward = to_task_work(spec, {Wide(3) * turned, forward, table});
  model.work.backward_data =
      to_task_work(spec, {Wide(3) * turned, backward, eager ? table : Wide(0)});
  if (eager) {
    model.launches = {.forward = 5, .backward = 10};
    // All but the zeros go through heads in strides; a joint is as slow as two of the others.
    const std::int64_t numbers = to_count(spec, turned, "numbers a sample") * 11 / 2;
    model.walk_forward.add(numbers, 2 * inputs.element_bytes());
    model.walk_backward.add(numbers, 2 * inputs.element_bytes());
  }
  return model;
}

}  // namespace

extern const LayerKind rotary_kind{"rotary", "rotary position embedding of queries or keys",
                                   &read_rotary};

}  // namespace ooc
