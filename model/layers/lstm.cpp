// Long short-term memory (Hochreiter & Schmidhuber 1997; with forget gate, without peepholes, as in cuDNN and frameworks),
// unrolled over time: product.hpp. Per step, layer and direction, with H = units:
//
//   gates   i, f, o = sigmoid(...), g = tanh(...)      [x, h'] (F + H, 4H) -> 4H
//   cell    c = f c' + i g                             gates, c' -> c
//   hidden  h = o tanh(c)                              gates, c -> h
//
// Work per unit, besides the product: activations 3 x 4 + 5 FLOPs in `gates`; `cell` forward 3
// FLOPs, moves i, f, g, c' and c; backward 13 (di, df, dg: a product and a derivative of 3 each,
// dc': 1), reads i, f, g, c', dc and writes di, df, dg, dc'; `hidden` forward 6 (tanh 5), moves o,
// c and h; backward 13 (tanh again 5, do 1 + 3, dc 1 + 3), reads o, c, dh and writes do, dc.
//
// Saved per step: 4H gates, H of c, H of h, besides x; tanh(c) is computed again. That is what
// PyTorch's fused cell keeps; TensorFlow's BlockLSTM keeps tanh(c) too, 7H.
#include "model/layers/recurrent.hpp"

namespace ooc {
namespace {

CellState add_lstm_step(const RecurrentCell& cell, const CellPlace& place,
                        const std::optional<CellState>& before, PartList& parts) {
  const PartId gates =
      parts.add(place.prefix + "gates", behind(place.x, before, &CellState::hidden),
                make_gates(cell, place, {.products = 4, .activation_flops = 17}));
  const PartId state = parts.add(place.prefix + "cell", behind({gates}, before, &CellState::cell),
                                 make_pointwise(cell, place,
                                                {.products = 4,
                                                 .forward_flops = 3,
                                                 .forward_moved = 5,
                                                 .backward_flops = 13,
                                                 .backward_moved = 9}));
  const PartId hidden = parts.add(place.prefix + "hidden", {gates, state},
                                  make_pointwise(cell, place,
                                                 {.products = 4,
                                                  .forward_flops = 6,
                                                  .forward_moved = 3,
                                                  .backward_flops = 13,
                                                  .backward_moved = 5}));
  return {.hidden = hidden, .cell = state};
}

}  // namespace

extern const LayerKind lstm_kind{
    "lstm",
    "long short-term memory on [steps, features], unrolled",
    [](const SpecView& spec, const LayerInputs& inputs) {
      return read_recurrent(spec, inputs, {.tasks_per_step = 3, .add_step = &add_lstm_step});
    },
    {.numbers = NumberClass::kProduct}};

}  // namespace ooc
