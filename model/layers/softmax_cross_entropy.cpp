// Softmax and cross entropy in one: the usual loss, { "type": "softmax_cross_entropy", "memory":
// "probabilities" | "in_place" | "native" | "eager" | "upcast" }. Labels are not counted.
//
// probabilities  its output is the probabilities, which are what it saves. Forward reads X, writes Y, 5
//                FLOPs per element (as softmax); backward dx = (y - label) / batch reads Y, writes dX, 2
//                FLOPs, and no gradient comes in from above. The loss itself is not counted.
//
// The others give the loss, one number a sample, and differ in what language models' losses hold of N
// logits of a bytes (b = 4 bytes, or a where that is more; c = b where a < 4, else 0: a float32 copy):
//
// in_place   fused kernels (Liger, Unsloth): forward writes the gradient over the logits; saves 8 bytes a
//            row (maximum and sum). Counted as logits that die in forward and a gradient that begins in
//            backward, the same bytes as long as the loss is the last to run.
// native     PyTorch without autocast: as eager, all in the logits' own type, b = a and c = 0.
// eager      PyTorch: logits shifted by a step (a copy), cast to float32 by autocast; log-probabilities of b
//            bytes saved. Workspace forward a + c; backward 2b - a: the loss's and the softmax's gradients, of
//            which dX takes a.
// upcast     logits made float32 by the model and kept as its output, then shifted: workspace c + b forward,
//            c + 2b - a backward.
//
// With 16 bits native peaks at 6 and eager at 12 bytes a logit in both passes, upcast at 14 and 16, in place at
// 2. 5 and 2 FLOPs per element; each buffer is written and read once. PALEO's Softmax counts nothing.
#include <optional>

#include "model/layers/attributes.hpp"
#include "model/layers/normalization.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

/// Rows of more float32 numbers do not fit a block's 48 KiB: PyTorch's softmax reads its input thrice and the gradient twice.
constexpr std::int64_t kLongRow = 12288;

/// Bytes per logit.
struct LossMemory {
  std::int64_t saved = 0;
  std::int64_t forward = 0;   ///< workspace
  std::int64_t backward = 0;  ///< likewise
};

LossMemory memory_of(std::string_view form, std::int64_t element) {
  constexpr std::int64_t kFloat32Bytes = 4;
  const bool casts = form != "native" && element < kFloat32Bytes;
  const std::int64_t wide = casts ? kFloat32Bytes : element;
  const std::int64_t copy = casts ? wide : 0;
  if (form == "in_place") return {};
  if (form != "upcast") {
    return {.saved = wide, .forward = element + copy, .backward = 2 * wide - element};
  }
  return {.saved = wide, .forward = copy + wide, .backward = copy + 2 * wide - element};
}

void set_probabilities(const SpecView& spec, const LayerInputs& inputs, LayerModel& model) {
  const Wide count = elements(model.output);
  const Wide bytes = count * inputs.element_bytes();
  model.work.forward = to_task_work(spec, {Wide(5) * count, Wide(2) * bytes, 0});
  model.work.backward_data = to_task_work(spec, {Wide(2) * count, Wide(2) * bytes, 0});
  model.saves.output = true;
  model.saves.input_of_softmax = true;
}

void set_loss_alone(const SpecView& spec, const LayerInputs& inputs, std::string_view form,
                    LayerModel& model) {
  const TensorShape logits = model.output;
  model.output = TensorShape{{1}};
  const std::int64_t element = inputs.bytes_of(0);
  const LossMemory memory = memory_of(form, element);
  const Wide count = elements(logits);
  constexpr std::int64_t kRowBytes = 8;
  const Wide rows =
      form == "in_place"
          ? Wide::from(elements(logits).value() / channels_of_rows(logits)) * kRowBytes
          : Wide(0);
  const Wide saved = count * memory.saved + rows;
  if (form != "in_place") model.launches = {.forward = 5, .backward = 5};
  // In place the logits are overwritten by their gradient in forward, and that is scaled in backward.
  const Wide passes = count * (form == "in_place" ? 2 * element : element);
  model.work.forward =
      to_task_work(spec, {.flops = Wide(5) * count,
                          .bytes = passes + Wide(2) * count * memory.forward + saved,
                          .bytes_fixed = 0,
                          .workspace = count * memory.forward});
  model.work.backward_data =
      to_task_work(spec, {.flops = Wide(2) * count,
                          .bytes = passes + Wide(2) * count * memory.backward + saved,
                          .bytes_fixed = 0,
                          .workspace = count * memory.backward});
  model.saves.reserve_bytes = to_count(spec, saved, "bytes of log-probabilities a sample");
  if (form != "in_place" && channels_of_rows(logits) > kLongRow) {
    const std::int64_t wide = to_count(spec, count * memory.saved, "bytes of logits a sample");
    const bool shifts_wide = form == "upcast";
    model.walk_forward.again = wide * (shifts_wide ? 2 : 1);
    model.walk_backward.again = wide * (shifts_wide ? 3 : 2);
  }
  if (form != "in_place") {
    model.saves.scores_bytes = to_count(spec, count * memory.saved, "bytes of logits a sample");
  }
}

LayerModel read_softmax_cross_entropy(const SpecView& spec, const LayerInputs& inputs) {
  LayerModel model;
  model.output = single_input(spec, inputs);
  model.is_loss = true;
  const std::optional<SpecView> memory = spec.find("memory");
  const std::string form =
      memory ? memory->as_choice({"probabilities", "in_place", "native", "eager", "upcast"})
             : (inputs.precision ? "eager" : "probabilities");
  if (form == "probabilities") {
    set_probabilities(spec, inputs, model);
  } else {
    set_loss_alone(spec, inputs, form, model);
  }
  return model;
}

}  // namespace

extern const LayerKind softmax_cross_entropy_kind{.name = "softmax_cross_entropy",
                                                  .summary = "the usual loss",
                                                  .read = &read_softmax_cross_entropy,
                                                  .traits = {.numbers = NumberClass::kTable}};

}  // namespace ooc
