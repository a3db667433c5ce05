// Mixture of experts in place of an MLP (Shazeer et al., arXiv:1701.06538; Jiang et al., Mixtral, arXiv:2401.04088): {
// "type": "moe", "experts": 8, "top_k": 2, "units": 14336, "activation": "silu" | "gelu" | "relu", "form": "eager" |
// "fused", "shared_units": 5632, "shared_gate": true, "capacity": 1.25, "bias": false, "router_bias": false, "lora": {...}
// } on [steps, width]. Every step is sent to the `top_k` experts that the router likes best, each of which is a gated MLP.
//
//   router    [T, E]     linear, without a bias unless "router_bias"
//   routes    [T, t]     softmax of all, the t largest: keeps the probabilities in float32, and 12 bytes an index and
//                        its weight
//   dispatch  [R, H]     rows in the order of the experts, R = T t; with a capacity c E ceil(c T t / E), since each
//                        expert then has that many, be they empty
//   gate, up, act, product, down     linear with "experts", as in a gated MLP; fused: `product` alone
//   combine   [T, H]     the sum of t rows each, times their weights: keeps both, whose gradients need each other
//
// With `shared_units` a gated MLP that every step goes through stands beside it (parts `shared/...`), and its output,
// times a number a step where there is a shared gate, is added.
//
// With experts split over N devices (--expert-parallel) a device has E / N of them. Behind `dispatch` and before
// `combine` its rows and the others' change places (`send`, `back`), and what has come is copied into the order of its
// experts and, behind them, back (`sort`, `unsort`; where it has several). As many rows come as go.
//
// Parameters H E + 3 E H F / N and what is shared. FLOPs are those of the rows. Where it is wrong: rows are spread evenly over
// the experts, and all experts' weights are read (linear.cpp); with a capacity, steps that find no place are computed.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

#include "model/base/errors.hpp"
#include "model/layers/attributes.hpp"
#include "model/layers/parts.hpp"
#include "model/layers/read_layer.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

const TensorShape& rows_of(const SpecView& spec, const TensorShape& shape) {
  if (shape.dims.size() == 2) return shape;
  spec.fail(fmt::format("an input of shape {}", shape.text()), "[steps, features]");
}

LayerModel read_routes(const SpecView& spec, const LayerInputs& inputs) {
  const TensorShape& logits = single_input(spec, inputs);
  const std::int64_t top = spec.get("top_k").as_integer(1, kMaxSize);
  constexpr std::int64_t kProbabilityBytes = 4;
  constexpr std::int64_t kRouteBytes = 12;
  LayerModel model;
  const std::int64_t steps = logits.dims[0];
  model.output = output_shape(spec, inputs, std::vector<std::int64_t>{steps, top});
  const Wide all = elements(logits);
  const Wide chosen = elements(model.output);
  const Wide kept = all * kProbabilityBytes + chosen * kRouteBytes;
  const Wide moved = (all + chosen) * inputs.element_bytes() + kept;
  model.work.forward = to_task_work(spec, {all * 5, moved, 0});
  model.work.backward_data = to_task_work(spec, {all * 4, moved, 0});
  model.saves.reserve_bytes = to_count(spec, kept, "bytes of routes a sample");
  return model;
}
const LayerKind kRoutes{
    .name = "routes", .read = &read_routes, .traits = {.numbers = NumberClass::kWide}};

LayerModel read_dispatch(const SpecView& spec, const LayerInputs& inputs) {
  const TensorShape& input = single_input(spec, inputs);
  const std::int64_t rows = spec.get("rows").as_integer(1, kMaxSize);
  LayerModel model;
  model.output = output_shape(spec, inputs, std::vector<std::int64_t>{rows, input.dims[1]});
  const Wide sent = elements(model.output);
  const Wide element = inputs.element_bytes();
  model.work.forward = to_task_work(spec, {0, sent * 2 * element, 0});
  model.work.backward_data = to_task_work(spec, {sent, (sent + elements(input)) * element, 0});
  return model;
}
const LayerKind kDispatch{.name = "dispatch", .read = &read_dispatch};

/// Rows for the experts of other devices go there, and as many come.
LayerModel read_exchange(const SpecView& spec, const LayerInputs& inputs) {
  LayerModel model;
  model.output = output_shape(spec, inputs, single_input(spec, inputs).dims);
  const Wide bytes = elements(model.output) * inputs.element_bytes();
  const std::int64_t all = to_count(spec, bytes, "bytes of rows a sample");
  model.sent_bytes = all - all / inputs.expert_parallel;
  return model;
}
const LayerKind kExchange{.name = "exchange", .read = &read_exchange};

/// Of rows and weights [T, t].
LayerModel read_combine(const SpecView& spec, const LayerInputs& inputs) {
  const TensorShape& rows = inputs.shapes[0];
  const TensorShape& weights = inputs.shapes[1];
  LayerModel model;
  model.output =
      output_shape(spec, inputs, std::vector<std::int64_t>{weights.dims[0], rows.dims[1]});
  const Wide products = elements(weights) * rows.dims[1];
  const Wide element = inputs.element_bytes();
  const Wide read = elements(rows) + elements(weights);
  const Wide output = elements(model.output);
  model.work.forward = to_task_work(spec, {products * 2, (read + output) * element, 0});
  model.work.backward_data = to_task_work(spec, {products * 3, (read * 2 + output) * element, 0});
  model.saves.inputs = true;
  return model;
}
const LayerKind kCombine{.name = "combine", .read = &read_combine};

struct MixtureSizes {
  std::int64_t experts = 1;
  std::int64_t top = 1;
  std::int64_t units = 1;
  std::string activation = "silu";
  bool fused = false;
  std::int64_t shared = 0;
  bool shared_gate = false;
  bool router_bias = false;
  std::int64_t rows = 1;     ///< that experts work on
  std::int64_t devices = 1;  ///< that the experts are split over
  std::string fields;        ///< of all their products
};

std::int64_t rows_of_experts(const SpecView& spec, std::int64_t steps, const MixtureSizes& sizes) {
  const Wide routes = Wide(steps) * sizes.top;
  const std::optional<SpecView> capacity = spec.find("capacity");
  if (!capacity) return to_count(spec, routes, "rows of experts");
  const double factor = capacity->as_number();
  const double each =
      std::ceil(factor * static_cast<double>(routes.value()) / static_cast<double>(sizes.experts));
  if (!(factor > 0 && each < static_cast<double>(kMaxSize))) {
    capacity->fail(capacity->found(), "a factor above 0, such as 1.25");
  }
  return to_count(spec, Wide(static_cast<std::int64_t>(each)) * sizes.experts, "rows of experts");
}

MixtureSizes read_mixture(const SpecView& spec, const LayerInputs& inputs) {
  MixtureSizes sizes;
  sizes.experts = spec.get("experts").as_integer(1, kMaxSize);
  const SpecView top = spec.get("top_k");
  sizes.top = top.as_integer(1, kMaxSize);
  if (sizes.top > sizes.experts) {
    top.fail(top.found(), fmt::format("at most {}, the experts there are", sizes.experts));
  }
  sizes.devices = inputs.expert_parallel;
  if (sizes.experts % sizes.devices != 0) {
    bad_value("--expert-parallel", std::to_string(sizes.devices),
              fmt::format("a divisor of the {} experts", sizes.experts));
  }
  sizes.units = spec.get("units").as_integer(1, kMaxSize);
  if (const auto name = spec.find("activation")) {
    sizes.activation = name->as_choice({"silu", "gelu", "relu"});
  }
  if (const auto form = spec.find("form")) {
    sizes.fused = form->as_choice({"eager", "fused"}) == "fused";
  }
  if (const auto shared = spec.find("shared_units")) sizes.shared = shared->as_integer(0, kMaxSize);
  if (const auto gate = spec.find("shared_gate")) {
    sizes.shared_gate = gate->as_boolean();
    if (sizes.shared_gate && sizes.shared == 0) gate->fail("true", "\"shared_units\" beside it");
  }
  sizes.router_bias = spec.flag("router_bias");
  sizes.fields = fmt::format(R"("bias": {})", spec.flag("bias"));
  if (const auto storage = spec.find("storage")) {
    sizes.fields +=
        fmt::format(R"(, "storage": "{}")", storage_name(read_weight_storage(*storage)));
  }
  if (const auto lora = spec.find("lora")) {
    const Lora adapters = read_lora(*lora, inputs);
    const std::string type =
        adapters.dtype ? fmt::format(R"(, "dtype": "{}")", adapters.dtype->name()) : "";
    sizes.fields += fmt::format(R"(, "lora": {{"rank": {}, "dropout": {}{}, "fused": {}}})",
                                adapters.rank, adapters.dropout, type, adapters.fused);
  }
  if (read_frozen(spec, inputs)) sizes.fields += R"(, "frozen": true)";
  const TensorShape& input = rows_of(spec, single_input(spec, inputs));
  sizes.rows = rows_of_experts(spec, input.dims[0], sizes);
  return sizes;
}

class MixtureParts {
 public:
  MixtureParts(const SpecView& spec, const LayerInputs& inputs)
      : sizes_(read_mixture(spec, inputs)),
        parts_(spec, inputs),
        width_(inputs.shapes[0].dims[1]),
        frozen_(fmt::format(R"("frozen": {})", read_frozen(spec, inputs))) {}

  LayerModel run() && {
    const PartId logits = parts_.add(
        "router", kind("linear"),
        fmt::format(R"("units": {}, "bias": {}, {})", sizes_.experts, sizes_.router_bias, frozen_),
        {x_});
    const PartId routes =
        parts_.add("routes", kRoutes, fmt::format(R"("top_k": {})", sizes_.top), {logits});
    PartId rows = add_rows("dispatch", x_);
    const bool sorts = sizes_.experts > sizes_.devices && sizes_.devices > 1;
    if (sizes_.devices > 1) rows = parts_.add("send", kExchange, "", {rows});
    if (sorts) rows = add_rows("sort", rows);
    PartId down = add_mlp("", rows, sizes_.units,
                          fmt::format(R"(, "experts": {}, "active": {}, "devices": {})",
                                      sizes_.experts, sizes_.top, sizes_.devices));
    if (sorts) down = add_rows("unsort", down);
    if (sizes_.devices > 1) down = parts_.add("back", kExchange, "", {down});
    if (sizes_.shared == 0) {
      parts_.add("", kCombine, "", {down, routes});
      return parts_.finish();
    }
    const PartId routed = parts_.add("combine", kCombine, "", {down, routes});
    parts_.add("", kind("add"), "", {routed, add_shared()});
    return parts_.finish();
  }

 private:
  PartId add_rows(const std::string& name, PartInput input) {
    return parts_.add(name, kDispatch, fmt::format(R"("rows": {})", sizes_.rows), {input});
  }

  static const LayerKind& kind(std::string_view name) { return *find_layer_kind(name); }

  PartId add_mlp(const std::string& prefix, PartInput input, std::int64_t units,
                 const std::string& groups) {
    const auto product = [&](const std::string& name, PartInput of, std::int64_t width) {
      return parts_.add(prefix + name, kind("linear"),
                        fmt::format(R"("units": {}, {}{})", width, sizes_.fields, groups), {of});
    };
    const PartId gate = product("gate", input, units);
    if (sizes_.fused) {
      const PartId up = product("up", input, units);
      const PartId both =
          parts_.add(prefix + "product", kind("gated"),
                     fmt::format(R"("activation": "{}")", sizes_.activation), {gate, up});
      return product("down", both, width_);
    }
    const PartId act = parts_.add(prefix + "act", kind(sizes_.activation), "", {gate});
    const PartId up = product("up", input, units);
    const PartId both = parts_.add(prefix + "product", kind("multiply"), "", {act, up});
    return product("down", both, width_);
  }

  PartId add_shared() {
    const PartId mlp = add_mlp("shared/", x_, sizes_.shared, "");
    if (!sizes_.shared_gate) return mlp;
    const PartId logit = parts_.add("shared/logit", kind("linear"),
                                    fmt::format(R"("units": 1, "bias": false, {})", frozen_), {x_});
    const PartId weight = parts_.add("shared/weight", kind("sigmoid"), "", {logit});
    return parts_.add("shared/scaled", kCombine, "", {mlp, weight});
  }

  MixtureSizes sizes_;
  LayerPartList parts_;
  std::int64_t width_;
  std::string frozen_;
  PartInput x_ = OuterInputId{0};
};

}  // namespace

extern const LayerKind moe_kind{"moe", "mixture of experts, each a gated MLP, on [steps, features]",
                                [](const SpecView& spec, const LayerInputs& inputs) {
                                  return MixtureParts(spec, inputs).run();
                                }};

}  // namespace ooc
