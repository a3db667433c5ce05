// Attention without its projections (those are "linear" layers):
//
//   { "type": "attention", "heads": 12, "kind": "dot_product" | "additive",
//     "flash": false, "causal": false, "memory_efficient": false }
//
// inputs: query [Tq, D], key [Tk, D], value [Tk, E] give [Tq, E]; two inputs are a query and a
// memory [Tk, D] that is key and value; a single one holds query, key and value side by side,
// [T, 3D]. "additive" and "memory_efficient": additive_attention.cpp. Here the scaled dot product
// (Vaswani et al., arXiv:1706.03762), h heads, pairs = Tq Tk:
//
//   S = Q K' / sqrt(D / h), P = softmax(S), O = P V        MACs pairs (D + E)
//
// Plain: three kernels and their backward in one task each. Forward, 6 FLOPs per element of P
// besides the products, S is written, turned into P in place (read, written) and read: 4 passes over
// h pairs elements, and each operand once. Saves Q, K, V and P. Backward dV = P' dO, dP = dO V', dS
// in place of dP, dQ = dS K, dK = dS' Q: twice the MACs, 5 FLOPs per element of P, 7 passes over h
// pairs elements (P and dO for dV; dP; P, dP, dS; dS twice), workspace h pairs elements. A causal
// mask changes nothing here: frameworks compute all pairs and mask.
//
// Flash (Dao et al., arXiv:2205.14135; arXiv:2307.08691): no h pairs elements in memory; saves Q, K,
// V, O and the logarithm of the sum of each row, 4 bytes whatever the type. Backward computes S
// again: 2 D + ... = pairs (3 D + 2 E) MACs, 2.5 times forward where D = E; 6 FLOPs per pair and
// head (exp again 3, dS 2, scale 1) and 2 Tq E for the rows' sums of dO O, kept as workspace.
// Causal: pairs = T (T + 1) / 2, since blocks beyond the diagonal are skipped.
//
// Where it is wrong: one launch a task; flash reads K and V once per block of queries (mostly from
// the cache); its blocks on the diagonal are computed whole. PALEO has no attention: its counts are
// those of the products alone, operands once.
#include "model/layers/attention.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "model/layers/attributes.hpp"

namespace ooc {
namespace {

bool read_flag(const SpecView& spec, std::string_view key) {
  const std::optional<SpecView> flag = spec.find(key);
  return flag && flag->as_boolean();
}

[[noreturn]] void wrong_shapes(const SpecView& spec, const LayerInputs& inputs) {
  std::string found;
  for (std::size_t i = 0; i < inputs.shapes.size(); ++i) {
    found += (i == 0 ? "" : ", ") + describe_input(inputs, i);
  }
  spec.fail(found,
            "query [Tq, D], key [Tk, D] and value [Tk, E]; query and memory [Tk, D]; or one input "
            "[T, 3 D] of all three");
}

AttentionSizes read_sizes(const SpecView& spec, const LayerInputs& inputs) {
  AttentionSizes sizes;
  const std::span<const TensorShape> shapes = inputs.shapes;
  if (shapes.size() > 3) wrong_shapes(spec, inputs);
  for (const TensorShape& shape : shapes) {
    if (shape.dims.size() != 2) wrong_shapes(spec, inputs);
  }
  sizes.queries = shapes[0].dims[0];
  sizes.width = shapes[0].dims[1];
  if (shapes.size() == 1) {
    if (sizes.width % 3 != 0) wrong_shapes(spec, inputs);
    sizes.width /= 3;
    sizes.keys = sizes.queries;
    sizes.value_width = sizes.width;
    return sizes;
  }
  const TensorShape& value = shapes.back();
  sizes.keys = shapes[1].dims[0];
  sizes.value_width = value.dims[1];
  if (shapes[1].dims[1] != sizes.width || value.dims[0] != sizes.keys) wrong_shapes(spec, inputs);
  return sizes;
}

void read_heads(const SpecView& spec, AttentionSizes& sizes) {
  const SpecView heads = spec.get("heads");
  sizes.heads = heads.as_integer(1, kMaxSize);
  if (sizes.width % sizes.heads == 0 && sizes.value_width % sizes.heads == 0) return;
  heads.fail(fmt::format("{}", sizes.heads),
             fmt::format("a divisor of the widths {} and {}", sizes.width, sizes.value_width));
}

/// Rows' logarithms of sums, and sums of dO O: 4 bytes each whatever the network's type.
Wide row_bytes(const AttentionSizes& sizes) { return Wide(4) * sizes.heads * sizes.queries; }

/// S = Q K', O = P V; backward dV = P' dO, dP = dO V', dQ = dS K, dK = dS' Q.
LayerProducts plain_products(const AttentionSizes& sizes) {
  const std::int64_t head = sizes.width / sizes.heads;
  const std::int64_t value = sizes.value_width / sizes.heads;
  const auto product = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    return LayerProduct{.m = m, .n = n, .k = k, .count = sizes.heads, .batch = BatchAxis::kCount};
  };
  const std::int64_t queries = sizes.queries;
  const std::int64_t keys = sizes.keys;
  return {.forward = {product(queries, keys, head), product(value, queries, keys)},
          .backward_data = {product(keys, value, queries), product(queries, keys, value),
                            product(head, queries, keys), product(head, keys, queries)},
          .backward_weights = {}};
}

void set_plain_work(const SpecView& spec, const LayerInputs& inputs, const AttentionSizes& sizes,
                    LayerModel& model) {
  const Wide pairs = Wide(sizes.queries) * sizes.keys;
  const Wide macs = pairs * (Wide(sizes.width) + sizes.value_width);
  const Wide weights = pairs * sizes.heads;
  const Wide element = inputs.element_bytes();
  const Wide operands = sizes.input_elements() + elements(model.output);
  model.forward_macs = to_count(spec, macs, "multiply-accumulates a sample");
  model.work.forward = to_task_work(
      spec, {Wide(2) * macs + Wide(6) * weights, element * (operands + Wide(4) * weights), 0});
  model.work.backward_data =
      to_task_work(spec, {.flops = Wide(4) * macs + Wide(5) * weights,
                          .bytes = element * (Wide(2) * operands + Wide(7) * weights),
                          .bytes_fixed = 0,
                          .workspace = element * weights});
  const TensorShape kept =
      output_shape(spec, inputs, std::vector<std::int64_t>{sizes.heads, sizes.queries, sizes.keys});
  model.saves.reserve_bytes =
      to_count(spec, element * elements(kept), "bytes of attention weights a sample");
}

void set_flash_work(const SpecView& spec, const LayerInputs& inputs, const AttentionSizes& sizes,
                    bool causal, LayerModel& model) {
  const Wide queries = sizes.queries;
  const Wide pairs =
      causal ? Wide::from((queries * (queries + 1)).value() / 2) : queries * sizes.keys;
  const Wide products = pairs * (Wide(sizes.width) + sizes.value_width);
  const Wide again = pairs * sizes.width;
  const Wide scores = Wide(6) * pairs * sizes.heads;
  const Wide operands =
      Wide(inputs.element_bytes()) * (sizes.input_elements() + elements(model.output));
  const Wide rows = row_bytes(sizes);
  model.forward_macs = to_count(spec, products, "multiply-accumulates a sample");
  model.work.forward = to_task_work(spec, {Wide(2) * products + scores, operands + rows, 0});
  // The rows' sums are written and read; the logarithms are read.
  model.work.backward_data =
      to_task_work(spec, {.flops = Wide(4) * products + Wide(2) * again + scores +
                                   Wide(2) * queries * sizes.value_width,
                          .bytes = Wide(2) * operands + Wide(3) * rows,
                          .bytes_fixed = 0,
                          .workspace = rows});
  model.is_fused_product = true;
  model.saves.output = true;
  model.saves.reserve_bytes = to_count(spec, rows, "bytes of row sums a sample");
}

void set_paleo_work(const SpecView& spec, const LayerInputs& inputs, const AttentionSizes& sizes,
                    LayerModel& model) {
  const Wide pairs = Wide(sizes.queries) * sizes.keys;
  const Wide flops = Wide(2) * pairs * (Wide(sizes.width) + sizes.value_width);
  Wide moved = elements(model.output) + Wide(2) * pairs * sizes.heads;
  for (const TensorShape& shape : inputs.shapes) moved = moved + elements(shape);
  const Wide bytes = Wide(kPaleoElementBytes) * moved;
  model.paleo_work.forward = to_task_work(spec, {flops, bytes, 0});
  model.paleo_work.backward_data = to_task_work(spec, {flops * 2, bytes * 2, 0});
}

LayerModel read_dot_product(const SpecView& spec, const LayerInputs& inputs,
                            const AttentionSizes& sizes) {
  const bool flash = read_flag(spec, "flash");
  const bool causal = read_flag(spec, "causal");
  if (causal && sizes.queries != sizes.keys) {
    spec.get("causal").fail(
        fmt::format("true with {} queries and {} keys", sizes.queries, sizes.keys),
        "as many queries as keys");
  }
  LayerModel model;
  model.output =
      output_shape(spec, inputs, std::vector<std::int64_t>{sizes.queries, sizes.value_width});
  if (flash) {
    set_flash_work(spec, inputs, sizes, causal, model);
  } else {
    set_plain_work(spec, inputs, sizes, model);
    model.products = std::make_shared<const LayerProducts>(plain_products(sizes));
  }
  set_paleo_work(spec, inputs, sizes, model);
  model.efficiency = "attention";
  model.saves.inputs = true;
  return model;
}

LayerModel read(const SpecView& spec, const LayerInputs& inputs) {
  AttentionSizes sizes = read_sizes(spec, inputs);
  read_heads(spec, sizes);
  const std::optional<SpecView> kind = spec.find("kind");
  const bool additive = kind && kind->as_choice({"dot_product", "additive"}) == "additive";
  if (additive) return read_additive_attention(spec, inputs, sizes);
  return read_dot_product(spec, inputs, sizes);
}

}  // namespace

extern const LayerKind attention_kind;
const LayerKind attention_kind{
    "attention", "dot-product or additive attention", &read, {.numbers = NumberClass::kProduct}};

}  // namespace ooc
