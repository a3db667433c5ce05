// Normalisation by the root of the mean square (Zhang & Sennrich, arXiv:1910.07467): { "type": "rms_norm", "width": 128,
// "form": "fused" | "eager", "affine": true }, y = g x / rms(x). A row is `width` neighbouring channels of one position,
// all of them where it is left out, one head where attention normalises its queries and keys head by head (Qwen3).
// Parameters: `width`; none with "affine": false, whose eager form is costed as if there were.
//
// Forward 4 FLOPs per element (square, sum, times 1 / rms, times g), backward 8 (dg: 2; the row's sum of
// dy g x: 3; dx: 3). Forward reads X and g, writes Y and 4 bytes a row; backward reads X, dY, g and the
// rows, writes dX and dg: 2 N and 3 N elements. Saves its input and 4 bytes a row.
//
// Eager: as a chain of operations in float32 (Hugging Face's models) keeps it: the float32 copy and the
// value before the weight instead of the input, and moves what its operations read and write
// (set_eager_form; PyTorch 1.13 keeps one more, of the mean, which later ones do not): at 2 bytes an element
// 36 forward and 92 backward instead of 4 and 6. Where it is wrong: they are one launch. PALEO counts nothing.
#include <fmt/format.h>

#include "model/layers/attributes.hpp"
#include "model/layers/normalization.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

std::int64_t read_width(const SpecView& spec, std::int64_t channels) {
  const std::optional<SpecView> width = spec.find("width");
  if (!width) return channels;
  const std::int64_t stated = width->as_integer(1, kMaxSize);
  if (channels % stated == 0) return stated;
  width->fail(fmt::format("{}", stated), fmt::format("a divisor of {} channels", channels));
}

LayerModel read_rms_norm(const SpecView& spec, const LayerInputs& inputs) {
  LayerModel model;
  model.output = single_input(spec, inputs);
  const std::int64_t width = read_width(spec, channels_of_rows(model.output));
  const Wide count = elements(model.output);
  const auto rows = static_cast<std::int64_t>(count.value() / width);
  const Wide row_bytes = Wide(kNormStatisticBytes) * rows;
  const Wide element = inputs.element_bytes();
  model.launches.update = vectors_if_affine(spec) / 2;
  const Wide weights = Wide(model.launches.update) * width;
  model.parameters = to_parameters(spec, inputs, weights);
  model.work.forward = to_task_work(
      spec, {Wide(4) * count, Wide(2) * element * count + row_bytes, element * weights});
  model.work.backward_data = to_task_work(
      spec, {Wide(8) * count, Wide(3) * element * count + row_bytes, Wide(2) * element * weights});
  model.is_feature_extractor = true;
  if (read_norm_form(spec) != NormForm::kFused) {
    set_eager_form(spec, inputs, rows, FirstOperand::kInput, model);
  } else {
    model.saves.inputs = true;
    model.saves.reserve_bytes = to_count(spec, row_bytes, "bytes of row statistics a sample");
  }
  return model;
}

}  // namespace

extern const LayerKind rms_norm_kind{"rms_norm",
                                     "normalisation by the root of the mean square",
                                     &read_rms_norm,
                                     {.numbers = NumberClass::kWide}};

}  // namespace ooc
