// Local response normalisation across channels (Krizhevsky et al., NIPS 2012, 3.3): y = x / s^beta
// with s = k + alpha / n x the sum of squares over n neighbouring channels. { "type": "lrn",
// "size": 5 }; alpha, beta and k change no cost and are no keys.
//
// Forward reads X, writes Y; backward reads X, Y and dY, writes dX: it saves input and output (y / x is s^-beta). FLOPs per
// element: forward n + 4 (square; n - 1 additions; scale and add k; power; product), backward n + 6 (dy y / s: 2; n - 1
// additions of it; scale, times x: 2; dy y / x: 2; subtract). No parameters. PALEO counts nothing.
#include <optional>

#include "model/layers/attributes.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

LayerModel read_lrn(const SpecView& spec, const LayerInputs& inputs) {
  constexpr std::int64_t kDefaultSize = 5;  // AlexNet's
  LayerModel model;
  model.output = single_input(spec, inputs);
  const std::optional<SpecView> size = spec.find("size");
  const std::int64_t neighbours = size ? size->as_integer(1, kMaxSize) : kDefaultSize;
  const Wide count = elements(model.output);
  const Wide bytes = count * inputs.element_bytes();
  model.work.forward = to_task_work(spec, {count * (neighbours + 4), Wide(2) * bytes, 0});
  model.work.backward_data = to_task_work(spec, {count * (neighbours + 6), Wide(4) * bytes, 0});
  model.saves = {.inputs = true, .output = true};
  model.is_feature_extractor = true;
  return model;
}

}  // namespace

extern const LayerKind lrn_kind{"lrn",
                                "local response normalisation across channels",
                                &read_lrn,
                                {.numbers = NumberClass::kWide}};

}  // namespace ooc
