// Reading of attributes that several kinds share.
#include "model/layers/attributes.hpp"

#include <fmt/format.h>

#include "model/layers/work.hpp"

namespace ooc {

const TensorShape& single_input(const SpecView& spec, const LayerInputs& inputs) {
  if (inputs.shapes.size() != 1) {
    spec.fail(fmt::format("{} inputs", inputs.shapes.size()), "one input");
  }
  return inputs.shapes.front();
}

void require_several_inputs(const SpecView& spec, const LayerInputs& inputs) {
  if (inputs.shapes.size() < 2) {
    spec.fail("one input", "two inputs or more", "name them in \"inputs\"");
  }
}

std::string describe_input(const LayerInputs& inputs, std::size_t index) {
  const std::string shape = inputs.shapes[index].text();
  if (index < inputs.names.size()) return fmt::format("\"{}\" ({})", inputs.names[index], shape);
  return fmt::format("input {} ({})", index + 1, shape);
}

std::optional<std::vector<std::int64_t>> find_sizes(const SpecView& spec, std::string_view key,
                                                    std::size_t count, std::int64_t lowest) {
  const std::optional<SpecView> value = spec.find(key);
  if (!value) return std::nullopt;
  if (value->type() != SpecType::kList) {
    return std::vector<std::int64_t>(count, value->as_integer(lowest, kMaxSize));
  }
  std::vector<std::int64_t> sizes;
  for (const SpecView& item : value->items()) sizes.push_back(item.as_integer(lowest, kMaxSize));
  if (sizes.size() != count) {
    value->fail(fmt::format("a list of {}", sizes.size()),
                fmt::format("a list of {}: one number per spatial dimension of the input", count));
  }
  return sizes;
}

bool read_bias(const SpecView& spec) { return spec.flag("bias", true); }

InPlace read_in_place(const SpecView& spec, InPlace otherwise) {
  const std::optional<SpecView> asked = spec.find("in_place");
  if (!asked) return otherwise;
  return asked->as_boolean() ? InPlace::kRequired : InPlace::kNever;
}

Lora read_lora(const SpecView& lora, const LayerInputs& inputs) {
  Lora adapters{.rank = lora.get("rank").as_integer(1, kMaxSize)};
  if (const auto rate = lora.find("dropout")) {
    adapters.dropout = rate->as_number();
    if (!(adapters.dropout >= 0 && adapters.dropout < 1)) {
      rate->fail(rate->found(), "a rate from 0 to below 1");
    }
  }
  if (const auto type = lora.find("dtype")) {
    adapters.dtype = named_choice(*type, kAdapterTypes, &AdapterType::name);
    if (!inputs.precision) {
      type->fail(type->found(), "a network with a precision, such as --precision bf16",
                 "without one everything has the network's type");
    }
  }
  adapters.fused = lora.flag("fused");
  if (const auto alpha = lora.find("alpha")) (void)alpha->as_number();
  lora.reject_unknown_keys();
  return adapters;
}

void set_weight_matrix(const SpecView& spec, const LayerInputs& inputs, const WeightMatrix& matrix,
                       LayerModel& model) {
  model.weight_matrix = matrix;
  model.is_tied = spec.find("tied_to").has_value();
  if (model.is_tied) return;
  model.parameters = to_parameters(spec, inputs, Wide(matrix.rows) * matrix.columns);
}

}  // namespace ooc
