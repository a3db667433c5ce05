// Dropout: { "type": "dropout", "rate": 0.5 }. A random mask, one byte per element whatever the
// network's type, is written forward and is all that backward reads besides dY, so it works in
// place where nothing else needs its input ("in_place" as in relu). "by_sample": true draws one number a
// sample (stochastic depth: Huang et al., arXiv:1603.09382), so there is no mask.
//
// Forward reads X, writes Y and the mask, 2 FLOPs per element (draw and compare; scale); backward reads dY and the mask,
// writes dX, 1 FLOP. PALEO knows no mask: 1 FLOP per element and 4 (in + out) bytes, backward the same.
#include "model/layers/attributes.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

LayerModel read_dropout(const SpecView& spec, const LayerInputs& inputs) {
  LayerModel model;
  model.output = single_input(spec, inputs);
  const SpecView rate = spec.get("rate");  // changes no cost
  if (rate.as_ratio(0.0, 1.0) == 1) rate.fail(rate.found(), "a ratio from 0 to below 1");
  model.in_place = read_in_place(spec, InPlace::kWhenPossible);
  const Wide count = elements(model.output);
  const Wide mask = spec.flag("by_sample") ? Wide(0) : count;
  const Wide bytes = Wide(2) * count * inputs.element_bytes() + mask;
  model.saves.mask_bytes = to_count(spec, mask, "bytes of mask a sample");
  model.work.forward = to_task_work(spec, {count + mask, bytes, 0});
  model.work.backward_data = to_task_work(spec, {count, bytes, 0});
  model.paleo_work.forward = to_task_work(spec, {count, Wide(2 * kPaleoElementBytes) * count, 0});
  model.paleo_work.backward_data = model.paleo_work.forward;
  return model;
}

}  // namespace

extern const LayerKind dropout_kind{"dropout", "random zeros with a saved mask", &read_dropout};

}  // namespace ooc
