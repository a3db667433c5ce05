// Gated recurrent unit (Cho et al., arXiv:1406.1078, in cuDNN's and PyTorch's form, whose reset gate works on the product),
// unrolled over time: product.hpp. Per step, layer and direction, with H = units:
//
//   gates   r, z = sigmoid(...), p = x W_p + b_p, q = h' W_q + b_q     [x, h'] (F + H, 3H) -> 4H
//   hidden  n = tanh(p + r q), h = (1 - z) n + z h'                    gates, h' -> h
//
// Work per unit, besides the product: activations 2 x 4 FLOPs in `gates`; `hidden` forward 11 (r q,
// sum, tanh 5, 1 - z, two products, sum), moves the gates, h' and h; backward 23 (n again 7; dz 2 +
// 3; dp 2 + 3; dr 1 + 3; dq 1; dh' 1), reads the gates, h' and dh, writes four gradients and dh'.
//
// Saved per step: 4H gates and H of h, besides x; n is computed again. PyTorch's fused cell keeps as
// much. (TensorFlow's first GRU cell applies r before the product: as many FLOPs.)
#include "model/layers/recurrent.hpp"

namespace ooc {
namespace {

CellState add_gru_step(const RecurrentCell& cell, const CellPlace& place,
                       const std::optional<CellState>& before, PartList& parts) {
  const PartId gates =
      parts.add(place.prefix + "gates", behind(place.x, before, &CellState::hidden),
                make_gates(cell, place, {.products = 3, .activation_flops = 8}));
  const PartId hidden =
      parts.add(place.prefix + "hidden", behind({gates}, before, &CellState::hidden),
                make_pointwise(cell, place,
                               {.products = 3,
                                .forward_flops = 11,
                                .forward_moved = 6,
                                .backward_flops = 23,
                                .backward_moved = 11}));
  return {.hidden = hidden, .cell = hidden};
}

}  // namespace

extern const LayerKind gru_kind{
    "gru",
    "gated recurrent unit on [steps, features], unrolled",
    [](const SpecView& spec, const LayerInputs& inputs) {
      return read_recurrent(spec, inputs, {.tasks_per_step = 2, .add_step = &add_gru_step});
    },
    {.numbers = NumberClass::kProduct}};

}  // namespace ooc
