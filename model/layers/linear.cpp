// Fully connected layer: { "type": "linear", "units": 1000, "bias": true, "tied_to": "embedding" }.
//
// On [features], or on [steps, features] where it is applied to every step (as in transformers). MACs = steps x features x
// units. Saves its input. On an image [C, H, W] it is an error rather than a silent flatten: which of the two is meant
// changes the parameters by orders of magnitude. Tied, its matrix [units, features] is another layer's (a head that shares
// the embedding's table): the same work, and no parameters but a bias.
//
// "experts": 8, "active": 2: as many matrices of one size, each for its share of the rows (a grouped product; moe.cpp).
// "devices": 4 (of moe.cpp's alone): a quarter of them is here. FLOPs are those of the rows, the weights of all experts
// here are read. The rows are taken to be spread evenly, and all experts to be touched: wrong for less than about four
// rows an expert, E (1 - (1 - t / E)^rows) of which are read.
//
// "lora": { "rank": 8, "dropout": 0.05, "dtype": "float32" } (Hu et al., arXiv:2106.09685): the layer itself is frozen,
// and beside it stand a product down to `rank` features and one up again, which learn: parts `base`, `drop`, `a`, `b`,
// and the sum. As in PEFT (0.10 and later, src/peft/tuners/lora), each in a kernel of its own: the scale alpha / rank, unless
// "fused"; a copy of what layers of 4 bits compute. Adapters of another type than the base's results: what they read is
// cast to it first, for each layer by itself; beside layers of 4 bits their result is cast back and added, beside others
// added as it is and the sum cast back.
//
// PALEO (InnerProduct): F = 2 N D K and 4 (N D + D K + N K) bytes, three times; its data gradient
// is counted even next to the data.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "model/base/errors.hpp"
#include "model/layers/attributes.hpp"
#include "model/layers/convolution.hpp"
#include "model/layers/parts.hpp"

namespace ooc {
namespace {

struct Experts {
  std::int64_t count = 1;
  std::int64_t active = 1;   ///< that a row is sent to
  std::int64_t devices = 1;  ///< that have an equal part of them each
};

Experts read_experts(const SpecView& spec) {
  Experts experts;
  const std::optional<SpecView> count = spec.find("experts");
  const std::optional<SpecView> active = spec.find("active");
  if (count) experts.count = count->as_integer(1, kMaxSize);
  experts.active = experts.count;
  if (active) experts.active = active->as_integer(1, experts.count);
  if (const auto devices = spec.find("devices")) {
    experts.devices = devices->as_integer(1, experts.count);
    if (experts.count % experts.devices != 0)
      devices->fail(devices->found(), "a divisor of experts");
  }
  if (count && spec.find("tied_to")) count->fail(count->found(), "weights that are not tied");
  return experts;
}

/// What stands between `up`, the adapter's last product, and the layer's result.
void price_sum(const SpecView& spec, bool fused, WeightStorage base, LayerModel& up,
               LayerModel& sum) {
  const std::int64_t own = sum.output_bytes_per_element;
  const std::int64_t wide = up.output_bytes_per_element;
  const Wide count = elements(sum.output);
  const auto bytes = [&](Wide each) { return to_count(spec, count * each, "bytes a sample"); };
  LayerProducts products = *up.products;
  if (!fused) {
    products.apart_forward = products.apart_backward = bytes(2 * wide);
    up.work.forward.workspace_per_sample = bytes(wide);
    up.work.backward_data.workspace_per_sample = bytes(wide);
    ++up.launches.forward;
    ++up.launches.backward;
  }
  const bool quantised = is_quantised(base);
  const bool copies = quantised && base != WeightStorage::kInt8 && !fused;
  const std::int64_t cast = wide == own ? 0 : wide + own;
  // The gradient is cast for the adapter and, if the sum is wide, back for the base.
  products.beside_backward = bytes(cast * (quantised ? 1 : 2));
  up.products = std::make_shared<const LayerProducts>(std::move(products));
  const std::int64_t widens = quantised ? 0 : wide - own;
  sum.work.forward = to_task_work(
      spec,
      {count, count * (3 * own + 2 * widens + cast + (copies ? 2 * own : 0)), 0, count * widens});
}

/// Under autocast PEFT casts what adapters read to their type, each for itself, and autocast casts it back. Beside
/// quantised layers it does not.
void price_casts(const SpecView& spec, const LayerInputs& inputs, bool drops, LayerModel& first) {
  constexpr std::int64_t kFloat = 4;
  const std::int64_t has = inputs.bytes_of(0);
  const bool gathers =
      inputs.precision && precision_info(*inputs.precision).copies == WeightCopies::kPerGroup;
  if (!inputs.precision || gathers || has >= kFloat) return;
  const Wide count = elements(inputs.shapes[0]);
  const auto bytes = [&](Wide sum) { return to_count(spec, sum, "bytes of casts a sample"); };
  const std::int64_t each = bytes(count * (2 * (has + kFloat) + (drops ? 2 * (kFloat - has) : 0)));
  for (TaskWork* work : {&first.work.forward, &first.work.backward_data}) {
    work->bytes_per_sample = bytes(Wide(work->bytes_per_sample) + each);
    work->workspace_per_sample = bytes(Wide(work->workspace_per_sample) + count * kFloat);
  }
  first.casts.forward_per_sample += each;
  first.casts.backward_per_sample += each;
  first.launches.forward += 2;
  first.launches.backward += 2;
  const bool is_kept = (first.saves.copied_inputs & 1U) != 0;  // float8 keeps a copy of its own
  if (drops || is_kept) return;
  first.saves.copied_inputs |= 1U;
  first.saves.reserve_bytes = bytes(Wide(first.saves.reserve_bytes) + count * has);
}

LayerModel read_adapted(const SpecView& spec, const LayerInputs& inputs, const SpecView& lora) {
  if (spec.find("tied_to")) lora.fail("adapters", "a layer whose weights are its own");
  const TensorShape& input = single_input(spec, inputs);
  const Lora adapters = read_lora(lora, inputs);
  const std::int64_t units = spec.get("units").as_integer(1, kMaxSize);
  const Experts experts = read_experts(spec);
  const std::string groups = experts.count == 1
                                 ? ""
                                 : fmt::format(R"(, "experts": {}, "active": {}, "devices": {})",
                                               experts.count, experts.active, experts.devices);
  const auto said = spec.find("storage");
  const WeightStorage storage = said ? read_weight_storage(*said) : WeightStorage::kBf16;
  const std::string kept = said ? fmt::format(R"(, "storage": "{}")", storage_name(storage)) : "";
  const auto learnt = [&](std::int64_t width) {
    return fmt::format(R"("units": {}, "bias": false, "frozen": false{})", width, groups);
  };
  const LayerKind& linear = *find_layer_kind("linear");
  LayerPartList parts(spec, inputs);
  PartInput from = OuterInputId{0};
  const PartId base = parts.add("base", linear,
                                fmt::format(R"("units": {}, "bias": {}, "frozen": true{}{})", units,
                                            read_bias(spec), groups, kept),
                                {from});
  parts.set_own_type(adapters.dtype);
  const bool drops = adapters.dropout > 0;
  if (drops) {
    from = parts.add("drop", *find_layer_kind("dropout"),
                     fmt::format(R"("rate": {})", adapters.dropout), {from});
  }
  const PartId a = parts.add("a", linear, learnt(adapters.rank), {from});
  if (adapters.dtype && adapters.dtype->autocasts && !is_quantised(storage)) {
    price_casts(spec, inputs, drops, parts.model_of(drops ? std::get<PartId>(from) : a));
  }
  const PartId b = parts.add("b", linear, learnt(units), {a});
  parts.set_own_type({});
  const PartId sum = parts.add("", *find_layer_kind("add"), "", {base, b});
  parts.model_of(sum).output_bytes_per_element = parts.model_of(base).output_bytes_per_element;
  price_sum(spec, adapters.fused, storage, parts.model_of(b), parts.model_of(sum));
  parts.model_of(sum).shares_gradient = true;
  OOC_CHECK(parts.model_of(sum).output.dims.size() == input.dims.size(), "the layer's own shape");
  return parts.finish();
}

LayerModel read_linear(const SpecView& spec, const LayerInputs& inputs) {
  if (const auto lora = spec.find("lora")) return read_adapted(spec, inputs, *lora);
  const TensorShape& input = single_input(spec, inputs);
  const std::int64_t units = spec.get("units").as_integer(1, kMaxSize);
  const std::int64_t bias = read_bias(spec) ? 1 : 0;
  const auto [all, active, devices] = read_experts(spec);
  const std::int64_t experts = all / devices;
  if (input.dims.empty() || input.dims.size() > 2) {
    spec.fail(fmt::format("an input of shape {}", input.text()), "[features] or [steps, features]",
              "put a \"flatten\" layer before it");
  }
  std::vector<std::int64_t> dims = input.dims;
  dims.back() = units;

  LayerModel model;
  model.output = output_shape(spec, inputs, dims);
  const Wide matrix = Wide(input.dims.back()) * units;
  const Wide weights = matrix * experts;
  const std::int64_t rows = input.dims.size() == 2 ? input.dims.front() : 1;
  const Wide steps = rows;
  set_weighted_work(
      spec, inputs,
      {.weights = weights, .biases = Wide(units) * bias * experts, .macs = matrix * steps}, model);
  const std::int64_t features = input.dims.back();
  set_weight_matrix(spec, inputs, {.rows = experts * units, .columns = features}, model);
  model.parameters = (model.is_tied ? 0 : model.parameters) + experts * units * bias;
  model.idle_parameters = model.parameters / experts * (all - active) / devices;
  model.expert_devices = devices;
  const TaskWork paleo = to_task_work(
      spec, {.flops = Wide(2) * matrix * steps,
             .bytes = Wide(kPaleoElementBytes) * (elements(input) + elements(model.output)),
             .bytes_fixed = Wide(kPaleoElementBytes) * weights});
  model.paleo_work = {.forward = paleo, .backward_data = paleo, .backward_weights = paleo};
  model.launches.backward_weights = bias ? 2 : 1;
  model.launches.update = bias ? 2 : 1;
  model.efficiency = all > 1 ? "moe" : "linear";
  const std::int64_t groups = std::min(experts, rows);
  const std::int64_t each = (rows + groups - 1) / groups;
  model.products = std::make_shared<const LayerProducts>(LayerProducts{
      .forward = {{.m = units, .n = each, .k = features, .count = groups}},
      .backward_data = {{.m = features, .n = each, .k = units, .count = groups}},
      .backward_weights =
          {{.m = units, .n = features, .k = each, .count = groups, .batch = BatchAxis::kK}},
      // The bias' gradient, a sum over the rows.
      .beside_weights = to_count(spec, elements(model.output) * inputs.element_bytes() * bias,
                                 "bytes of gradients a sample")});
  return model;
}

}  // namespace

extern const LayerKind linear_kind{
    .name = "linear",
    .summary = "fully connected layer, per step on [steps, features]",
    .read = &read_linear,
    .traits = {.may_be_tied = true, .numbers = NumberClass::kLinear}};

}  // namespace ooc
