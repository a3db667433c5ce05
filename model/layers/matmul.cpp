// Product of two tensors, both of them values: { "type": "matmul", "transpose_b": false }, inputs [m, k] and [k, n] (or [n,
// k] with transpose_b), or the same with one equal dimension in front (heads). Gives [m, n].
//
// MACs m n k, times the dimension in front. Forward reads both, writes the product. Backward is one task of two products,
// dA = dC B' and dB = A' dC: twice the MACs; each reads dC and one input and writes the other's gradient. Saves both
// inputs. PALEO has only products with weights (InnerProduct); its counts are applied here.
#include <fmt/format.h>


#include "model/layers/attributes.hpp"
#include "model/layers/work.hpp"

namespace ooc {
namespace {

struct Sizes {
  std::int64_t front = 1, m = 1, n = 1, k = 1;
};

Sizes read_sizes(const SpecView& spec, const LayerInputs& inputs) {
  if (inputs.shapes.size() != 2) {
    spec.fail(fmt::format("{} inputs", inputs.shapes.size()), "two inputs",
              "name them in \"inputs\"");
  }
  const std::vector<std::int64_t>& a = inputs.shapes[0].dims;
  const std::vector<std::int64_t>& b = inputs.shapes[1].dims;
  const bool transposed = spec.flag("transpose_b");
  const std::size_t rank = a.size();
  const auto mismatch = [&] {
    spec.fail(fmt::format("{} and {}", describe_input(inputs, 0), describe_input(inputs, 1)),
              fmt::format("[m, k] and {}, or both with one equal dimension in front",
                          transposed ? "[n, k]" : "[k, n]"));
  };
  if (rank != b.size() || rank < 2 || rank > 3) mismatch();
  const Sizes sizes{.front = rank == 3 ? a[0] : 1,
                    .m = a[rank - 2],
                    .n = transposed ? b[rank - 2] : b[rank - 1],
                    .k = a[rank - 1]};
  const std::int64_t inner = transposed ? b[rank - 1] : b[rank - 2];
  if (inner != sizes.k || (rank == 3 && a[0] != b[0])) mismatch();
  return sizes;
}

LayerModel read_matmul(const SpecView& spec, const LayerInputs& inputs) {
  const Sizes sizes = read_sizes(spec, inputs);
  LayerModel model;
  std::vector<std::int64_t> dims{sizes.m, sizes.n};
  if (inputs.shapes[0].dims.size() == 3) dims.insert(dims.begin(), sizes.front);
  model.output = output_shape(spec, inputs, dims);
  const Wide macs = Wide(sizes.front) * sizes.m * sizes.n * sizes.k;
  const Wide in = elements(inputs.shapes[0]) + elements(inputs.shapes[1]);
  const Wide moved = in + elements(model.output);
  const Wide element = inputs.element_bytes();
  model.forward_macs = to_count(spec, macs, "multiply-accumulates a sample");
  model.work.forward = to_task_work(spec, {Wide(2) * macs, element * moved, 0});
  model.work.backward_data = to_task_work(spec, {Wide(4) * macs, element * moved * 2, 0});
  const Wide paleo = Wide(kPaleoElementBytes) * moved;
  model.paleo_work.forward = to_task_work(spec, {Wide(2) * macs, paleo, 0});
  model.paleo_work.backward_data = to_task_work(spec, {Wide(4) * macs, paleo * 2, 0});
  model.efficiency = "linear";
  const auto product = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    return LayerProduct{.m = m, .n = n, .k = k, .count = sizes.front, .batch = BatchAxis::kCount};
  };
  model.products = std::make_shared<const LayerProducts>(LayerProducts{
      .forward = {product(sizes.m, sizes.n, sizes.k)},
      .backward_data = {product(sizes.m, sizes.k, sizes.n), product(sizes.k, sizes.n, sizes.m)}});
  model.saves.inputs = true;
  return model;
}

}  // namespace

extern const LayerKind matmul_kind{
    "matmul", "product of two tensors", &read_matmul, {.numbers = NumberClass::kProduct}};

}  // namespace ooc
