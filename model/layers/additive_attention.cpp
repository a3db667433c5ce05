// Additive attention (Bahdanau, Cho & Bengio, arXiv:1409.0473), the projections of query and key left to "linear" layers:
//
//   e_ij = v . tanh(q_i + k_j), a_i = softmax_j(e_ij), c_i = sum_j a_ij value_j
//
// with learned v (as many parameters as the width D; with h heads each has its share). A decoder
// asks for one query after the other, so the layer is unrolled over the steps of the query
// (docs/notebook/0003), one part a step, called "<step>"; the outputs are copied into one tensor at the
// end. Keys and values are read whole at every step, their gradients accumulated (no time).
//
// Step i, per sample, Tk keys, values E wide. Forward Tk (8 D + 5 h + 2 E) FLOPs: sum 1, tanh 5, dot
// 2 per element of tanh; softmax 5; Tk (D + E) MACs. Backward Tk (7 D + 4 h + 4 E) FLOPs: dv 2, d tanh
// 1 + 3, dq 1 per element of tanh; softmax 4; d a and d value 2 E each.
//
// Bytes are those of kernels that pass what is wider than a result on through memory, as the plain dot-product form is
// counted. Forward: q_i, keys, values, v, c_i; scores and weights 4 Tk h (written, read and written by the softmax, read).
// Backward: values, dc_i, v; dq_i, the keys' and the values' gradients and dv; the h wide ones 7 Tk h (a for d value; da
// written; softmax: a, da, and ds written; ds for dv and for d tanh).
//
// Plain: tanh(...) and a_i are kept until backward, T times Tk (D + h) elements: O(T^2 D) for each sample. Forward writes
// tanh and reads it for the dot: 2 Tk D; backward reads it for dv and d tanh, writes d tanh and reads it for dq and for the
// keys: 5 Tk D. Workspace: the gradients, Tk (D + h). "memory_efficient" (Meng et al., NIPS workshop 2017, 3.2.1): one
// operator for the scores and one for their gradient, which never write tanh or d tanh ("saves memory access") but compute
// tanh again, Tk (8 D + 5 h) FLOPs more; ds is read once, 6 Tk h. Nothing but the inputs is kept. Workspace of a single
// step: a_i, in backward its gradient too, Tk h each.
//
// Where it is wrong: the paper does not say which other intermediates TensorFlow kept; a loop of
// TensorFlow kernels has about eight launches where a step has one here.
#include <fmt/format.h>

#include "model/layers/attention.hpp"
#include "model/layers/attributes.hpp"
#include "model/layers/parts.hpp"

namespace ooc {
namespace {

enum class Scores { kKept, kComputedAgain };

void refuse(const SpecView& spec, std::string_view key) {
  const std::optional<SpecView> flag = spec.find(key);
  if (!flag || !flag->as_boolean()) return;
  flag->fail("true", "it beside \"kind\": \"dot_product\"", "additive attention has no such form");
}

void refuse_fields_of_products(const SpecView& spec) {
  for (const std::string_view key :
       {"kv_heads", "window", "dropout", "softmax", "repeat_kv", "bias_table", "tied_to"}) {
    if (const auto field = spec.find(key)) {
      field->fail(field->found(), "it beside \"kind\": \"dot_product\"",
                  "additive attention has no such form");
    }
  }
}

LayerModel make_step(const SpecView& spec, const LayerInputs& inputs, const AttentionSizes& sizes,
                     Scores scores) {
  const bool kept = scores == Scores::kKept;
  const Wide element = inputs.element_bytes();
  const Wide keys = sizes.keys;
  const Wide width = sizes.width;
  const Wide value_width = sizes.value_width;
  const Wide heads = sizes.heads;
  const Wide key_elements = keys * width;
  const Wide value_elements = keys * value_width;
  const Wide weights = keys * heads;
  const Wide tanh = keys * width;
  const Wide compute_scores = keys * (Wide(8) * width + Wide(5) * heads);

  LayerModel model;
  model.output = output_shape(spec, inputs, std::vector<std::int64_t>{sizes.value_width});
  model.forward_macs = to_count(spec, keys * (width + value_width), "multiply-accumulates a step");
  model.work.forward = to_task_work(
      spec, {.flops = compute_scores + Wide(2) * value_elements,
             .bytes = element * (width + key_elements + value_elements + Wide(4) * weights +
                                 value_width + (kept ? Wide(2) * tanh : Wide(0))),
             .bytes_fixed = element * width,
             .workspace = kept ? Wide(0) : element * weights});
  const Wide gradients = width + key_elements + value_elements;
  const Wide read = kept ? Wide(5) * tanh + Wide(7) * weights
                         : width + key_elements + Wide(6) * weights;  // tanh from query and keys
  model.work.backward_data = to_task_work(
      spec, {.flops = keys * (Wide(7) * width + Wide(4) * heads + Wide(4) * value_width) +
                      (kept ? Wide(0) : compute_scores),
             .bytes = element * (read + value_elements + value_width + gradients),
             .bytes_fixed = Wide(2) * element * width,
             .workspace = element * (kept ? tanh + weights : Wide(2) * weights)});
  model.efficiency = "attention";
  model.saves.inputs = true;
  if (kept) {
    // With two inputs the memory is both key and value.
    model.saves.unread_inputs = inputs.shapes.size() - 1;
    model.saves.reserve_bytes = to_count(
        spec, element * elements(output_shape(spec, inputs, std::vector<Wide>{tanh + weights})),
        "bytes of scores a sample");
  }
  return model;
}

}  // namespace

LayerModel read_additive_attention(const SpecView& spec, const LayerInputs& inputs,
                                   const AttentionSizes& sizes) {
  if (inputs.shapes.size() < 2) {
    spec.fail(describe_input(inputs, 0), "query and memory, or query, key and value",
              "name them in \"inputs\"");
  }
  refuse(spec, "flash");
  refuse(spec, "causal");
  refuse_fields_of_products(spec);
  const Scores scores = spec.flag("memory_efficient") ? Scores::kComputedAgain : Scores::kKept;
  require_few_parts(spec, Wide(sizes.queries) + Wide(1), fmt::format("{} queries", sizes.queries));
  const TensorShape output =
      output_shape(spec, inputs, std::vector<std::int64_t>{sizes.queries, sizes.value_width});

  std::vector<PartInput> sources;
  for (std::size_t i = 0; i < inputs.shapes.size(); ++i) {
    sources.emplace_back(make_id<OuterInputId>(i));
  }
  LayerModel step = make_step(spec, inputs, sizes, scores);
  PartList parts;
  std::vector<PartId> steps;
  for (std::int64_t query = 0; query < sizes.queries; ++query) {
    step.parameters = query == 0 ? sizes.width : 0;
    steps.push_back(parts.add(fmt::format("{}", query), sources, step));
  }
  return finish_parts(spec, inputs, output, steps, std::move(parts));
}

}  // namespace ooc
