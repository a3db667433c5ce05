// The last linear layer and the loss in one, rows of the batch in chunks, so that the logits are never there as a whole
// (Liger; Hsu et al., arXiv:2410.10989; Apple's cut cross entropy, arXiv:2411.09009): { "type": "linear_cross_entropy",
// "vocabulary": 128256, "chunk": 1024, "tied_to": "embedding", "mode": "gradient_in_forward" | "recompute" } on [features]
// or [steps, features]. Gives the loss, one number a sample; without bias.
//
// T rows a sample, H features, V words: T H V MACs for the logits, as many for each of the gradients of
// input and weights; the softmax's few FLOPs a logit are not counted.
//
// gradient_in_forward  forward computes both gradients of a chunk while its logits are there, and saves that
//                      of the input; backward scales it (2 T H elements moved).
// recompute            saves the input; backward computes the logits again, then both gradients.
//
// Workspace: a chunk's logits and a float32 copy, V (a + 4) bytes a row. Every chunk reads the weights for
// each product and adds to their gradient (read and written); logits are written and read in both forms.
// Frozen, the gradient of the weights is left out. Where it is wrong: between chunks nothing overlaps; recomputing under a schedule adds to the gradient of
// the weights again, which frameworks must undo. PALEO's counts are those of the products.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "model/layers/attributes.hpp"
#include "model/layers/read_layer.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

struct LossSizes {
  std::int64_t rows = 1;
  std::int64_t features = 1;
  std::int64_t words = 1;
  std::int64_t chunk = 1;
};

LossSizes read_loss_sizes(const SpecView& spec, const LayerInputs& inputs) {
  const TensorShape& input = single_input(spec, inputs);
  if (input.dims.empty() || input.dims.size() > 2) {
    spec.fail(fmt::format("an input of shape {}", input.text()), "[features] or [steps, features]");
  }
  constexpr std::int64_t kChunk = 1024;
  const std::optional<SpecView> chunk = spec.find("chunk");
  return {.rows = input.dims.size() == 2 ? input.dims.front() : 1,
          .features = input.dims.back(),
          .words = spec.get("vocabulary").as_integer(1, kMaxSize),
          .chunk = chunk ? chunk->as_integer(1, kMaxSize) : kChunk};
}

LayerProducts products_of(const LossSizes& sizes, bool in_forward, bool frozen) {
  const LayerProduct logits{.m = sizes.words, .n = sizes.rows, .k = sizes.features};
  const LayerProduct input{.m = sizes.features, .n = sizes.rows, .k = sizes.words};
  const LayerProduct weights{
      .m = sizes.words, .n = sizes.features, .k = sizes.rows, .batch = BatchAxis::kK};
  std::vector<LayerProduct> all{logits, input};
  if (!frozen) all.push_back(weights);
  if (in_forward) return {.forward = std::move(all)};
  return {.forward = {logits}, .backward_data = std::move(all)};
}

/// InnerProduct's: operands once, logits as one of them.
void set_paleo_work(const SpecView& spec, const LossSizes& sizes, bool again, bool frozen,
                    LayerModel& model) {
  const Wide flops = Wide(2) * sizes.rows * sizes.features * sizes.words;
  const Wide moved = Wide(sizes.rows) * (Wide(sizes.features) + sizes.words);
  const Wide bytes = Wide(kPaleoElementBytes) * moved;
  const Wide weights = Wide(kPaleoElementBytes) * sizes.words * sizes.features;
  const auto times = [&](std::int64_t products) {
    return to_task_work(spec, {flops * products, bytes * products, weights * products});
  };
  const std::int64_t all = frozen ? 2 : 3;
  model.paleo_work.forward = times(again ? 1 : all);
  if (again) model.paleo_work.backward_data = times(all);
}

/// Bytes of `passes` over the weights by every chunk of rows; where a sample has fewer rows than a chunk, at least one.
struct WeightTraffic {
  Wide per_sample;
  Wide fixed;
};
WeightTraffic weight_traffic(const LossSizes& sizes, std::int64_t element, std::int64_t passes) {
  // Below 2^50, since the weights are below 2^48 bytes: no product here saturates.
  const Wide once = Wide(sizes.words) * sizes.features * element * passes;
  const Wide sample = Wide::from((once * sizes.rows).value() / sizes.chunk);
  if (sample > once) return {.per_sample = sample, .fixed = 0};
  return {.per_sample = sample, .fixed = Wide::from(once.value() - sample.value())};
}

LayerModel read_linear_cross_entropy(const SpecView& spec, const LayerInputs& inputs) {
  const LossSizes sizes = read_loss_sizes(spec, inputs);
  const std::optional<SpecView> mode = spec.find("mode");
  const bool again = mode && mode->as_choice({"gradient_in_forward", "recompute"}) == "recompute";
  const bool frozen = read_frozen(spec, inputs);
  const std::int64_t element = inputs.element_bytes();
  constexpr std::int64_t kFloat32Bytes = 4;
  LayerModel model;
  model.output = TensorShape{{1}};
  (void)to_parameters(spec, inputs, Wide(sizes.words) * sizes.features);  // of a tied one too
  set_weight_matrix(spec, inputs, {.rows = sizes.words, .columns = sizes.features}, model);
  const Wide macs = Wide(sizes.rows) * sizes.features * sizes.words;
  const Wide input = Wide(sizes.rows) * sizes.features * element;
  const Wide row = Wide(sizes.words) * (element + kFloat32Bytes);  // of logits
  const WeightTraffic once = weight_traffic(sizes, element, 1);
  const WeightTraffic all = weight_traffic(sizes, element, frozen ? 2 : 4);
  const Traffic logits{.flops = Wide(2) * macs,
                       .bytes = input + Wide(2) * row * sizes.rows + once.per_sample,
                       .bytes_fixed = once.fixed,
                       .workspace = row * sizes.rows};
  const Traffic gradients{.flops = Wide(frozen ? 4 : 6) * macs,
                          .bytes = Wide(3) * input + Wide(2) * row * sizes.rows + all.per_sample,
                          .bytes_fixed = all.fixed,
                          .workspace = row * sizes.rows};
  const Traffic scaling{
      .flops = Wide(2) * sizes.rows * sizes.features, .bytes = Wide(2) * input, .bytes_fixed = 0};
  const auto work_of = [&](const Traffic& traffic) {
    TaskWork work = to_task_work(spec, traffic);
    work.workspace_most = to_count(spec, row * sizes.chunk, "bytes of workspace");
    return work;
  };
  model.forward_macs = to_count(spec, macs, "multiply-accumulates a sample");
  model.work.forward = work_of(again ? logits : gradients);
  model.work.backward_data = again ? work_of(gradients) : to_task_work(spec, scaling);
  set_paleo_work(spec, sizes, again, frozen, model);
  LayerProducts products = products_of(sizes, !again, frozen);
  products.beside_forward = to_count(spec, Wide(2) * row * sizes.rows, "bytes of logits a sample");
  products.beside_backward =
      again ? products.beside_forward : model.work.backward_data.bytes_per_sample;
  model.products = std::make_shared<const LayerProducts>(std::move(products));
  model.saves.inputs = again;
  model.saves.reserve_bytes = again ? 0 : to_count(spec, input, "bytes of gradient a sample");
  model.is_loss = true;
  model.efficiency = "linear";
  return model;
}

}  // namespace

extern const LayerKind linear_cross_entropy_kind{
    .name = "linear_cross_entropy",
    .summary = "last linear layer and loss, logits in chunks",
    .read = &read_linear_cross_entropy,
    .traits = {.may_be_tied = true, .numbers = NumberClass::kLinear}};

}  // namespace ooc
