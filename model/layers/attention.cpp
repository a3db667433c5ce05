// Attention without its projections (those are "linear" layers):
//
//   { "type": "attention", "heads": 12, "kind": "dot_product" | "additive", "kv_heads": 12,
//     "flash": false, "causal": false, "window": 4096, "dropout": 0, "softmax": "activation" | "float32",
//     "repeat_kv": false, "separate": false, "capped": false, "bias_table": {"buckets": 32, "heads": 12}, "windows": 1,
//     "memory_efficient": false }
//
// inputs: attention_sizes.cpp. "additive" and "memory_efficient": additive_attention.cpp. Here the scaled dot product
// (Vaswani et al., arXiv:1706.03762), h heads, query and output D and E wide, pairs P = Tq Tk:
//
//   S = Q K' / sqrt(D / h), P = softmax(S), O = P V        MACs pairs (D + E)
//
// Plain: three kernels and their backward in one task each. Forward, 6 FLOPs per element of P besides the products, S is
// written, turned into P in place (read, written) and read: 4 passes over h pairs elements, and each operand once. Saves Q,
// K, V and P. Backward dV = P' dO, dP = dO V', dS in place of dP, dQ = dS K, dK = dS' Q: twice the MACs, 5 FLOPs per
// element of P, 7 passes over h pairs elements (P and dO for dV; dP; P, dP, dS; dS twice), workspace h pairs elements. A
// causal mask or a window changes nothing here: frameworks compute all pairs and mask. What else lies between the products
// (ScoreBytes):
//
//   dropout    forward reads P, writes a dropped copy, which V meets, and a mask of 1 byte, 2 FLOPs;
//              backward reads and writes dP and reads the mask, 1 FLOP. Saves mask and copy beside P
//   float32    "softmax": results and their gradient in 4 bytes, with a cast to the network's type
//              behind (none where that has 4 bytes); saves both, but with dropout no cast: its
//              backward needs none
//   bias_table T5's (Raffel et al., arXiv:1910.10683): a bias of each pair and head, of a table of
//              relative positions, is added: read once forward, 1 FLOP; backward sums dS over the batch
//
// separate: scale, mask and softmax are written out, a kernel each, instead of left to a library. capped (Gemma 2): so are
// c tanh(S / c), three more kernels each way over h pairs elements, of which tanh keeps its result.
//
// windows: as many equal parts of the steps see themselves alone (Liu et al., Swin, arXiv:2103.14030): P / windows.
//
// repeat_kv: keys and values of fewer heads than the query's are copied for every head of it before
// the products, as Hugging Face does where the kernel cannot share them; those copies are saved in
// place of K and V. Forward writes and reads them, backward writes their gradients and sums them up.
//
// Flash (Dao et al., arXiv:2205.14135; arXiv:2307.08691): no h pairs elements in memory; saves Q, K,
// V, O and the logarithm of the sum of each row, 4 bytes whatever the type. Backward computes S
// again: 2 D + ... = pairs (3 D + 2 E) MACs, 2.5 times forward where D = E; 6 FLOPs per pair and
// head (exp again 3, dS 2, scale 1) and 2 Tq E for the rows' sums of dO O, kept as workspace.
// Causal: pairs = T (T + 1) / 2, since blocks beyond the diagonal are skipped; with a window of the last
// W steps W (W + 1) / 2 + (T - W) W. Dropout saves nothing (the seed alone): 2 FLOPs per pair and head,
// drawn again in backward.
//
// Where it is wrong: one launch a task; flash reads K and V once per block of queries (mostly from
// the cache); its blocks on the diagonal are computed whole, its float32 gradient of Q is counted only where a precision is set; the
// gradients of repeated keys and values take no workspace. PALEO has no attention: its counts are
// those of the products alone, operands once.
#include "model/layers/attention.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "model/layers/attributes.hpp"

namespace ooc {
namespace {

/// How often the kernels of a scaled tanh move the scores; backward reads the tanh's result, too.
constexpr std::int64_t kCapForward = 6;
constexpr std::int64_t kCapBackward = 7;

/// How the scaled dot product is computed.
struct DotProduct {
  bool flash = false;
  bool causal = false;
  bool drops = false;
  bool repeats = false;      ///< keys and values, in effect
  bool separate = false;     ///< a kernel for each step between the products
  bool capped = false;       ///< scores pass a scaled tanh, in three of those kernels
  std::int64_t window = 0;   ///< 0: none
  std::int64_t softmax = 4;  ///< bytes of an element of its result
  std::int64_t buckets = 0;  ///< of the table of biases; 0: none
};

void read_mask(const SpecView& spec, const AttentionSizes& sizes, DotProduct& form) {
  form.causal = spec.flag("causal");
  if (form.causal && sizes.queries != sizes.keys) {
    spec.get("causal").fail(
        fmt::format("true with {} queries and {} keys", sizes.queries, sizes.keys),
        "as many queries as keys");
  }
  const std::optional<SpecView> window = spec.find("window");
  if (!window) return;
  form.window = window->as_integer(1, kMaxSize);
  if (!form.causal) {
    window->fail(fmt::format("{} without \"causal\": true", form.window),
                 "it beside \"causal\": true", "a window is the last steps up to a query's own");
  }
}

void read_bias_table(const SpecView& spec, const AttentionSizes& sizes, DotProduct& form) {
  const std::optional<SpecView> table = spec.find("bias_table");
  if (!table) {
    if (const auto tied = spec.find("tied_to")) {
      tied->fail(tied->found(), "nothing, or a \"bias_table\" to share",
                 "attention has no other weights");
    }
    return;
  }
  form.buckets = table->get("buckets").as_integer(1, kMaxSize);
  const SpecView heads = table->get("heads");
  if (heads.as_integer(1, kMaxSize) != sizes.heads) {
    heads.fail(heads.found(), fmt::format("as many as the layer has, {}", sizes.heads));
  }
  table->reject_unknown_keys();
  if (!form.flash) return;
  table->fail("a table of biases with \"flash\": true", "\"flash\": false",
              "only the plain form adds biases to the scores");
}

DotProduct read_form(const SpecView& spec, const LayerInputs& inputs, const AttentionSizes& sizes) {
  DotProduct form;
  form.flash = spec.flag("flash");
  read_mask(spec, sizes, form);
  form.softmax = inputs.precision ? precision_info(*inputs.precision).wide : inputs.element_bytes();
  if (const auto softmax = spec.find("softmax")) {
    constexpr std::int64_t kFloat32Bytes = 4;
    const bool wide = softmax->as_choice({"activation", "float32"}) == "float32";
    form.softmax = wide ? kFloat32Bytes : inputs.element_bytes();
  }
  if (const auto rate = spec.find("dropout")) {
    const double ratio = rate->as_ratio(0.0, 1.0);
    if (ratio == 1) rate->fail(rate->found(), "a ratio from 0 to below 1");
    form.drops = ratio > 0;
  }
  const bool grouped = sizes.kv_heads < sizes.heads;
  form.repeats = spec.flag("repeat_kv", grouped && !form.flash) && grouped;
  form.separate = spec.flag("separate");
  if (form.separate && form.flash) {
    spec.get("separate")
        .fail("true with \"flash\": true", "one of both", "flash attention is one kernel");
  }
  form.capped = spec.flag("capped");
  if (form.capped && !form.separate) {
    spec.get("capped").fail("true without \"separate\": true", "both",
                            "the cap is kernels between the products");
  }
  read_bias_table(spec, sizes, form);
  return form;
}

/// Rows' logarithms of sums, and sums of dO O: 4 bytes each whatever the network's type.
Wide row_bytes(const AttentionSizes& sizes) { return Wide(4) * sizes.heads * sizes.queries; }

/// Flash attention adds up the gradient of Q in float32. Counted where a precision is set.
Wide query_gradient_bytes(const LayerInputs& inputs, const AttentionSizes& sizes) {
  return inputs.precision ? Wide(4) * sizes.queries * sizes.width : Wide(0);
}

/// Query, key, value and output as they are moved, in elements.
struct Operands {
  Wide forward;
  Wide backward;  ///< those and their gradients
  Wide copied;    ///< by the kernels that repeat keys and values: read and written, each way
};
Operands operands_of(const AttentionSizes& sizes, const DotProduct& form, const LayerModel& model) {
  const Wide own = sizes.kept_elements();
  const Wide met = form.repeats ? sizes.repeated_elements() : own;
  const Wide copied = form.repeats ? own + met : Wide(0);
  const Wide rest = Wide(sizes.queries) * sizes.width + elements(model.output);
  return {.forward = rest + met + copied,
          .backward = Wide(2) * (rest + met) + copied,
          .copied = copied};
}

/// What lies between the products of the plain form, bytes per element of P.
struct ScoreBytes {
  std::int64_t forward = 0;
  std::int64_t backward = 0;
  std::int64_t saved = 0;  ///< beside dropout's mask
};
ScoreBytes score_bytes(std::int64_t element, const DotProduct& form) {
  const std::int64_t soft = form.softmax;
  const std::int64_t cast = soft == element ? 0 : element + soft;
  const std::int64_t dropped = form.drops ? 2 * element + 1 : 0;
  const std::int64_t bias = form.buckets > 0 ? element : 0;
  // S written and read, P written, P or its copy read; dV reads that, dP written, P and dP read, dS written and read twice.
  ScoreBytes bytes{.forward = 3 * element + soft + cast + dropped + bias,
                   .backward = 5 * element + 2 * soft + cast + dropped + bias,
                   .saved = soft};
  if (form.drops || cast > 0) bytes.saved += element;
  return bytes;
}

/// S = Q K', O = P V; backward dV = P' dO, dP = dO V', dQ = dS K, dK = dS' Q.
LayerProducts plain_products(const AttentionSizes& sizes) {
  const std::int64_t head = sizes.width / sizes.heads;
  const std::int64_t value = sizes.value_width / sizes.heads;
  const auto product = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    return LayerProduct{
        .m = m, .n = n, .k = k, .count = sizes.heads * sizes.windows, .batch = BatchAxis::kCount};
  };
  const std::int64_t queries = sizes.queries / sizes.windows;
  const std::int64_t keys = sizes.keys / sizes.windows;
  return {.forward = {product(queries, keys, head), product(value, queries, keys)},
          .backward_data = {product(keys, value, queries), product(queries, keys, value),
                            product(head, queries, keys), product(head, keys, queries)}};
}

void set_plain_work(const SpecView& spec, const LayerInputs& inputs, const AttentionSizes& sizes,
                    const DotProduct& form, LayerModel& model) {
  const Wide pairs = sizes.pairs();
  const Wide macs = pairs * (Wide(sizes.width) + sizes.value_width);
  const Wide weights = pairs * sizes.heads;
  const Wide element = inputs.element_bytes();
  const Operands operands = operands_of(sizes, form, model);
  const ScoreBytes scores = score_bytes(inputs.element_bytes(), form);
  const Wide capped = form.capped ? element * weights : Wide(0);
  const std::int64_t bias = form.buckets > 0 ? 1 : 0;
  const Wide table = element * form.buckets * sizes.heads;
  model.forward_macs = to_count(spec, macs, "multiply-accumulates a sample");
  model.work.forward = to_task_work(
      spec,
      {Wide(2) * macs + weights * (6 + bias + (form.drops ? 2 : 0)),
       element * operands.forward + weights * scores.forward + capped * kCapForward,
       table});
  model.work.backward_data =
      to_task_work(spec, {.flops = Wide(4) * macs + weights * (5 + bias + (form.drops ? 1 : 0)),
                          .bytes = element * operands.backward + weights * scores.backward +
                                   capped * kCapBackward,
                          .bytes_fixed = table,
                          .workspace = weights * form.softmax});
  const TensorShape kept = output_shape(
      spec, inputs,
      std::vector<std::int64_t>{sizes.heads, sizes.queries, sizes.keys / sizes.windows});
  const Wide repeated = form.repeats ? element * sizes.repeated_elements() : Wide(0);
  model.saves.reserve_bytes = to_count(spec, elements(kept) * scores.saved + repeated,
                                       "bytes of attention weights a sample");
  model.saves.scores_bytes =
      to_count(spec, element * weights, "bytes of attention scores a sample");
  model.saves.fusible_bytes = to_count(spec, capped, "bytes of capped scores a sample");
  model.saves.mask_bytes = form.drops ? to_count(spec, weights, "bytes of mask a sample") : 0;
  LayerProducts products = plain_products(sizes);
  products.scores = to_count(spec, element * weights, "bytes of attention weights a sample");
  products.apart_forward = kCapForward * model.saves.fusible_bytes;
  products.apart_backward = kCapBackward * model.saves.fusible_bytes;
  products.softmax_width =
      static_cast<double>(form.softmax) / static_cast<double>(inputs.element_bytes());
  products.scores_apart = form.separate;
  // The mask is added in a broadcast; a softmax in float32 has a cast to it each way.
  const std::int64_t element_size = inputs.element_bytes();
  const std::int64_t count = to_count(spec, weights, "scores a sample");
  if (form.separate) {
    model.walk_forward.add(count, 2 * element_size);
    if (form.softmax > element_size) {
      model.walk_forward.add(count, element_size + form.softmax);
      model.walk_backward.add(count, element_size + form.softmax);
    }
  }
  const std::int64_t passes_forward = 4 * inputs.element_bytes();
  const std::int64_t passes_backward = 7 * inputs.element_bytes();
  products.beside_forward =
      to_count(spec, weights * (scores.forward - passes_forward) + element * operands.copied,
               "bytes of memory traffic a sample");
  products.beside_backward =
      to_count(spec, weights * (scores.backward - passes_backward) + element * operands.copied,
               "bytes of memory traffic a sample");
  model.products = std::make_shared<const LayerProducts>(std::move(products));
}

/// Pairs of a query and a key that flash attention computes.
Wide flash_pairs(const AttentionSizes& sizes, const DotProduct& form) {
  const Wide steps = sizes.queries;
  if (!form.causal) return sizes.pairs();
  const auto triangle = [](Wide side) { return Wide::from((side * (side + 1)).value() / 2); };
  if (form.window == 0 || form.window >= sizes.queries) return triangle(steps);
  return triangle(form.window) + Wide(sizes.queries - form.window) * form.window;
}

void set_flash_work(const SpecView& spec, const LayerInputs& inputs, const AttentionSizes& sizes,
                    const DotProduct& form, LayerModel& model) {
  const Wide queries = sizes.queries;
  const Wide pairs = flash_pairs(sizes, form);
  const Wide products = pairs * (Wide(sizes.width) + sizes.value_width);
  const Wide again = pairs * sizes.width;
  const Wide scores = pairs * sizes.heads * (form.drops ? 8 : 6);
  const Wide element = inputs.element_bytes();
  const Operands operands = operands_of(sizes, form, model);
  const Wide rows = row_bytes(sizes);
  model.forward_macs = to_count(spec, products, "multiply-accumulates a sample");
  model.work.forward =
      to_task_work(spec, {Wide(2) * products + scores, element * operands.forward + rows, 0});
  // The rows' sums are written and read; the logarithms are read.
  model.work.backward_data =
      to_task_work(spec, {.flops = Wide(4) * products + Wide(2) * again + scores +
                                   Wide(2) * queries * sizes.value_width,
                          .bytes = element * operands.backward + Wide(3) * rows,
                          .bytes_fixed = 0,
                          .workspace = rows + query_gradient_bytes(inputs, sizes)});
  model.fused_attention = {
      .keys = static_cast<double>(pairs.value()) / static_cast<double>(sizes.queries),
      .head = static_cast<double>(sizes.width) / static_cast<double>(sizes.heads),
      .drawn = form.drops ? static_cast<double>((pairs * sizes.heads).value()) : 0,
      .all_keys = static_cast<double>(sizes.keys)};
  model.saves.output = true;
  const Wide repeated = form.repeats ? element * sizes.repeated_elements() : Wide(0);
  model.saves.reserve_bytes = to_count(spec, rows + repeated, "bytes of row sums a sample");
}

void set_paleo_work(const SpecView& spec, const LayerInputs& inputs, const AttentionSizes& sizes,
                    LayerModel& model) {
  const Wide pairs = sizes.pairs();
  const Wide flops = Wide(2) * pairs * (Wide(sizes.width) + sizes.value_width);
  Wide moved = elements(model.output) + Wide(2) * pairs * sizes.heads;
  for (const TensorShape& shape : inputs.shapes) moved = moved + elements(shape);
  const Wide bytes = Wide(kPaleoElementBytes) * moved;
  model.paleo_work.forward = to_task_work(spec, {flops, bytes, 0});
  model.paleo_work.backward_data = to_task_work(spec, {flops * 2, bytes * 2, 0});
}

LayerModel read_dot_product(const SpecView& spec, const LayerInputs& inputs,
                            const AttentionSizes& sizes) {
  const DotProduct form = read_form(spec, inputs, sizes);
  LayerModel model;
  model.output =
      output_shape(spec, inputs, std::vector<std::int64_t>{sizes.queries, sizes.value_width});
  // Products, scale, mask, softmax, casts, dropout; or one kernel, and five for its gradients. Repeated keys and values.
  model.launches = {
      .forward = (form.flash ? 1 : 7 + form.drops + 3 * form.capped) + 2 * form.repeats,
      .backward = (form.flash ? 5 : 9 + form.drops + 3 * form.capped) + 2 * form.repeats};
  if (form.flash) {
    set_flash_work(spec, inputs, sizes, form, model);
  } else {
    set_plain_work(spec, inputs, sizes, form, model);
    const Wide kept = flash_pairs(sizes, form) * (Wide(sizes.width) + sizes.value_width);
    model.masked_macs = model.forward_macs - to_count(spec, kept, "multiply-accumulates a sample");
  }
  if (form.buckets > 0) {
    set_weight_matrix(spec, inputs, {.rows = form.buckets, .columns = sizes.heads}, model);
  }
  set_paleo_work(spec, inputs, sizes, model);
  model.efficiency = "attention";
  model.saves.inputs = true;
  // Of repeated keys and values the copies are kept; what is packed is kept as a whole, for the query.
  if (form.repeats) model.saves.unread_last = inputs.shapes.size() - 1;
  return model;
}

void read_windows(const SpecView& spec, AttentionSizes& sizes) {
  const std::optional<SpecView> windows = spec.find("windows");
  if (!windows) return;
  sizes.windows = windows->as_integer(1, kMaxSize);
  if (sizes.queries == sizes.keys && sizes.queries % sizes.windows == 0 && !spec.find("causal")) {
    return;
  }
  windows->fail(
      windows->found(),
      fmt::format("a divisor of the steps, {}, as many of queries as of keys", sizes.queries),
      "no \"causal\" beside it");
}

// Query, key and value from the inputs of an attention layer: three of them; or a query and a memory
// that is key and value; or one that holds all three side by side. With fewer heads of key and value
// than of the query (grouped-query attention, Ainslie et al., arXiv:2305.13245; one: multi-query,
// Shazeer, arXiv:1911.02150) each of them serves a group, and key and value are narrower.

[[noreturn]] void wrong_shapes(const SpecView& spec, const LayerInputs& inputs,
                               const AttentionSizes& sizes) {
  std::string found;
  for (std::size_t i = 0; i < inputs.shapes.size(); ++i) {
    found += (i == 0 ? "" : ", ") + describe_input(inputs, i);
  }
  if (sizes.heads == sizes.kv_heads) {
    spec.fail(
        found,
        "query [Tq, D], key [Tk, D] and value [Tk, E]; query and memory [Tk, D]; or one input "
        "[T, 3 D] of all three");
  }
  spec.fail(
      found,
      fmt::format("query [Tq, {0} d], key [Tk, {1} d] and value [Tk, {1} e]; query and memory "
                  "[Tk, {1} d]; or one input [T, {2} d] of all three",
                  sizes.heads, sizes.kv_heads,
                  wide_text(Wide(sizes.heads) + Wide(2) * sizes.kv_heads)),
      fmt::format("{} heads, of key and value {}", sizes.heads, sizes.kv_heads));
}

void read_heads(const SpecView& spec, AttentionSizes& sizes) {
  sizes.heads = spec.get("heads").as_integer(1, kMaxSize);
  sizes.kv_heads = sizes.heads;
  const std::optional<SpecView> own = spec.find("kv_heads");
  if (!own) return;
  sizes.kv_heads = own->as_integer(1, kMaxSize);
  if (sizes.heads % sizes.kv_heads == 0) return;
  own->fail(fmt::format("{}", sizes.kv_heads),
            fmt::format("a divisor of \"heads\", {}", sizes.heads));
}

/// One input of query, key and value, side by side.
void unpack(const SpecView& spec, const LayerInputs& inputs, AttentionSizes& sizes) {
  const std::int64_t packed = inputs.shapes[0].dims[1];
  // As many heads everywhere: whatever they are, a third is the query.
  const bool alike = sizes.heads == sizes.kv_heads;
  const Wide heads = alike ? Wide(3) : Wide(sizes.heads) + Wide(2) * sizes.kv_heads;
  if (heads > Wide(packed) || packed % static_cast<std::int64_t>(heads.value()) != 0) {
    wrong_shapes(spec, inputs, sizes);
  }
  const std::int64_t head = packed / static_cast<std::int64_t>(heads.value());
  sizes.width = alike ? head : head * sizes.heads;
  sizes.key_width = alike ? head : head * sizes.kv_heads;
  sizes.keys = sizes.queries;
  sizes.value_in_width = sizes.key_width;
}

AttentionSizes read_attention_sizes(const SpecView& spec, const LayerInputs& inputs) {
  AttentionSizes sizes;
  read_heads(spec, sizes);
  const std::span<const TensorShape> shapes = inputs.shapes;
  if (shapes.size() > 3) wrong_shapes(spec, inputs, sizes);
  for (const TensorShape& shape : shapes) {
    if (shape.dims.size() != 2) wrong_shapes(spec, inputs, sizes);
  }
  sizes.queries = shapes[0].dims[0];
  if (shapes.size() == 1) {
    unpack(spec, inputs, sizes);
  } else {
    const TensorShape& value = shapes.back();
    sizes.width = shapes[0].dims[1];
    sizes.keys = shapes[1].dims[0];
    sizes.key_width = shapes[1].dims[1];
    sizes.value_in_width = value.dims[1];
    const bool fits = (Wide(sizes.key_width) * sizes.heads).value() ==
                      (Wide(sizes.width) * sizes.kv_heads).value();
    if (!fits || value.dims[0] != sizes.keys) wrong_shapes(spec, inputs, sizes);
  }
  if (sizes.width % sizes.heads != 0 || sizes.value_in_width % sizes.kv_heads != 0) {
    spec.get("heads").fail(
        fmt::format("{}", sizes.heads),
        fmt::format("a divisor of the widths {} and {}", sizes.width, sizes.value_in_width));
  }
  sizes.value_width = to_count(spec, Wide(sizes.value_in_width / sizes.kv_heads) * sizes.heads,
                               "elements in one step of the output");
  return sizes;
}

LayerModel read_attention(const SpecView& spec, const LayerInputs& inputs) {
  AttentionSizes sizes = read_attention_sizes(spec, inputs);
  const std::optional<SpecView> kind = spec.find("kind");
  const bool additive = kind && kind->as_choice({"dot_product", "additive"}) == "additive";
  if (additive) return read_additive_attention(spec, inputs, sizes);
  read_windows(spec, sizes);
  return read_dot_product(spec, inputs, sizes);
}

}  // namespace

extern const LayerKind attention_kind{
    .name = "attention",
    .summary = "dot-product or additive attention",
    .read = &read_attention,
    .traits = {.may_be_tied = true, .numbers = NumberClass::kProduct}};

}  // namespace ooc
