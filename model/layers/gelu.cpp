// GELU: y = x Phi(x), Phi(x) = (1 + erf(x / sqrt 2)) / 2 (Hendrycks & Gimpel, arXiv:1606.08415).
// { "type": "gelu", "form": "fused" | "gelu_new" | "gelu_fast" | "quick_gelu" }. Fused: per element forward 5 FLOPs
// (scale, erf, add, halve, times x); backward dx = dy (Phi(x) + x phi(x)), 11 (Phi 4; phi: square, scale, exp, scale;
// times x, add, times dy). Any function call counts as one. Saves its input, hence never in place.
//
// The other forms are approximations as Hugging Face's models of these names write them out in Python, one kernel an
// operation. What each operation keeps for its own backward pass (a product of two tensors both factors, tanh and
// sigmoid their result, a power its argument, sums and products with a constant nothing) counts besides the input:
//   gelu_new    (0.5 x) (1 + tanh(c (x + 0.044715 x^3)))         tanh, both factors
//   gelu_fast   (0.5 x) (1 + tanh((c x) (1 + (0.044715 x) x)))   tanh and three pairs of factors, one of them x
//   quick_gelu  x sigmoid(1.702 x)                               sigmoid
// Passes over the elements, reads and writes together: in the table. Autocast's list of float32 has the power of
// gelu_new, so there the chain behind it is in float32: a float32 copy of x is kept, not x, and the result is wide.
// Where it is wrong: what is alive between two of these kernels is not counted as workspace.
#include <array>
#include <string>

#include "model/base/named.hpp"
#include "model/layers/activation.hpp"
#include "model/layers/attributes.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

/// An activation written out as element-wise kernels.
struct GeluChain {
  std::string_view name;
  std::int64_t narrow = 0;  ///< tensors kept beside the input that stay in its type under autocast
  std::int64_t others = 0;  ///< those that the power makes float32, or that stay narrow without one
  bool has_power = false;
  // Per element.
  std::int64_t forward_flops = 0;
  std::int64_t backward_flops = 0;
  std::int64_t forward_passes = 0;
  std::int64_t backward_passes = 0;
};

constexpr std::array kGeluChains{
    GeluChain{.name = "gelu_new",
              .narrow = 1,
              .others = 2,
              .has_power = true,
              .forward_flops = 9,
              .backward_flops = 14,
              .forward_passes = 18,
              .backward_passes = 28},
    GeluChain{.name = "gelu_fast",
              .narrow = 1,
              .others = 5,
              .forward_flops = 9,
              .backward_flops = 16,
              .forward_passes = 21,
              .backward_passes = 36},
    GeluChain{.name = "quick_gelu",
              .others = 1,
              .forward_flops = 6,
              .backward_flops = 8,
              .forward_passes = 7,
              .backward_passes = 14},
};

LayerModel read_chain(const SpecView& spec, const LayerInputs& inputs, const GeluChain& chain) {
  constexpr std::int64_t kFloat32Bytes = 4;
  LayerModel model;
  model.output = single_input(spec, inputs);
  const std::int64_t element = inputs.element_bytes();
  const bool autocasts = inputs.precision && precision_info(*inputs.precision).autocasts();
  const bool widens = chain.has_power && autocasts && element < kFloat32Bytes;
  const std::int64_t wide = widens ? kFloat32Bytes : element;
  const Wide count = elements(model.output);
  model.work.forward =
      to_task_work(spec, {count * chain.forward_flops, count * (wide * chain.forward_passes), 0});
  model.work.backward_data =
      to_task_work(spec, {count * chain.backward_flops, count * (wide * chain.backward_passes), 0});
  // An operation makes 2.25 passes in the mean.
  model.launches = {.forward = chain.forward_passes * 4 / 9,
                    .backward = chain.backward_passes * 4 / 9};
  model.saves.inputs = !widens;
  const std::int64_t kept =
      element * chain.narrow + wide * chain.others + (widens ? kFloat32Bytes : 0);
  model.saves.reserve_bytes = to_count(spec, count * kept, "bytes of factors a sample");
  if (widens) model.output_bytes_per_element = kFloat32Bytes;
  model.is_activation = true;
  return model;
}

LayerModel read_gelu(const SpecView& spec, const LayerInputs& inputs) {
  if (const std::optional<SpecView> form = spec.find("form")) {
    const std::string name = form->as_choice(names_of(kGeluChains, NameOf(), {"fused"}));
    if (const auto* chain = find_named(kGeluChains, name)) return read_chain(spec, inputs, *chain);
  }
  return read_activation(spec, inputs,
                         {.forward_flops = 5,
                          .backward_flops = 11,
                          .saves = ActivationSaves::kInput,
                          .in_place = InPlace::kNever});
}

}  // namespace

extern const LayerKind gelu_kind{"gelu", "x Phi(x), exact form", &read_gelu};

}  // namespace ooc
