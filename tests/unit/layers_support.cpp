// Reading of single layers for the tests of kinds.
#include "tests/unit/layers_support.hpp"

#include <string_view>

#include "model/base/errors.hpp"

namespace ooc {

LayerModel read_layer(const std::string& text, const std::vector<TensorShape>& inputs,
                      Dtype dtype) {
  const SpecDocument document = read_spec_text(text, "layer.json");
  const SpecView spec(document);
  const LayerKind* kind = find_layer_kind(spec.get("type").as_text());
  OOC_CHECK(kind != nullptr, "the test names a kind that exists");
  const std::vector<std::string_view> names{"left", "right", "third"};
  LayerModel model = kind->read(
      spec, {.shapes = inputs, .dtype = dtype, .names = std::span(names).first(inputs.size())});
  spec.reject_unknown_keys();
  return model;
}

std::string layer_error(const std::string& text, const std::vector<TensorShape>& inputs) {
  return message_of([&] { return read_layer(text, inputs); });
}

std::vector<std::int64_t> counts(const TaskWork& work) {
  return {work.flops_per_sample, work.bytes_per_sample, work.bytes_fixed};
}

}  // namespace ooc
