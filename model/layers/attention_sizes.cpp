// Query, key and value from the inputs of an attention layer: three of them; or a query and a memory
// that is key and value; or one that holds all three side by side. With fewer heads of key and value
// than of the query (grouped-query attention, Ainslie et al., arXiv:2305.13245; one: multi-query,
// Shazeer, arXiv:1911.02150) each of them serves a group, and key and value are narrower.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "model/layers/attention.hpp"
#include "model/layers/attributes.hpp"

namespace ooc {
namespace {

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

}  // namespace

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

}  // namespace ooc
