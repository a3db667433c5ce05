// Layers as they stand in a file, and the pieces that blocks of most families are made of.
#include <fmt/format.h>

#include <algorithm>

#include "model/network/import_parts.hpp"

namespace ooc {
namespace {

/// `memory` of the loss that the kernels have; "chunked" is no memory of it but another layer.
std::string loss_of(const ImportOptions& options) {
  if (!options.loss.empty()) return options.loss;
  switch (options.kernels) {
    case ImportKernels::kEager:
      return "upcast";
    case ImportKernels::kSdpa:
      return "eager";
    case ImportKernels::kFused:
      return "in_place";
  }
  return {};
}

}  // namespace

SpecNode boolean_node(bool value) {
  SpecNode node;
  node.type = SpecType::kBoolean;
  node.boolean = value;
  return node;
}

SpecNode number_node(double value) {
  SpecNode node;
  node.type = SpecType::kNumber;
  node.number = value;
  node.text = fmt::format("{}", value);
  return node;
}

SpecNode integer_node(std::int64_t value) {
  SpecNode node;
  node.type = SpecType::kNumber;
  node.number = static_cast<double>(value);
  node.integer = value;
  node.text = fmt::format("{}", value);
  return node;
}

SpecNode text_node(std::string_view text) {
  SpecNode node;
  node.type = SpecType::kText;
  node.text = text;
  return node;
}

LayerSpec::LayerSpec(std::string_view name, std::string_view type) {
  node_.type = SpecType::kObject;
  with("name", name).with("type", type);
}

LayerSpec& LayerSpec::reads(std::initializer_list<std::string_view> producers) {
  SpecNode list;
  list.type = SpecType::kList;
  for (const std::string_view each : producers) list.items.push_back(text_node(each));
  return with("inputs", std::move(list));
}

LayerSpec& LayerSpec::with(std::string_view key, SpecNode value) {
  node_.members.emplace_back(std::string(key), std::move(value));
  return *this;
}

LayerSpec& LayerSpec::with(std::string_view key, std::int64_t value) {
  return with(key, integer_node(value));
}

LayerSpec& LayerSpec::with(std::string_view key, std::string_view text) {
  return with(key, text_node(text));
}

LayerSpec& LayerSpec::with(std::string_view key, bool flag) {
  return with(key, boolean_node(flag));
}

LayerSpec& LayerSpec::with(std::string_view key, double number) {
  return with(key, number_node(number));
}

LayerSpec& LayerList::add(std::string_view name, std::string_view type) {
  last_ = name;
  return layers_.emplace_back(name, type);
}

LayerSpec& LayerList::linear(std::string_view name, std::int64_t units, bool bias) {
  LayerSpec& layer = add(name, "linear").with("units", units);
  return bias ? layer : layer.with("bias", false);
}

void LayerList::dropout(std::string_view name, double rate) {
  if (rate > 0) add(name, "dropout").with("rate", rate);
}

void LayerList::residual(std::string_view name, std::string_view other) {
  const std::string branch = last_;
  add(name, "add").reads({branch, other});
}

void LayerList::repeat(std::string_view name, std::int64_t times, LayerList block) {
  SpecNode list;
  list.type = SpecType::kList;
  list.items = block.take();
  add(name, "repeat").with("times", times).with("scale", true).with("layers", std::move(list));
}

std::vector<SpecNode> LayerList::take() {
  std::vector<SpecNode> nodes;
  for (LayerSpec& layer : layers_) nodes.push_back(layer.take());
  return nodes;
}

LayerSpec& add_attention(LayerList& layers, std::string_view name, const ImportRequest& request,
                         const AttentionForm& form) {
  LayerSpec& layer = layers.add(name, "attention").with("heads", form.heads);
  if (form.kv_heads != form.heads) layer.with("kv_heads", form.kv_heads);
  if (form.causal) layer.with("causal", true);
  if (form.window) layer.with("window", *form.window);
  if (form.dropout > 0) layer.with("dropout", form.dropout);
  if (request.is_flash()) {
    layer.with("flash", true);
  } else if (form.float32_softmax) {
    layer.with("softmax", "float32");
  }
  return layer;
}

Wide attention_pairs(const ImportRequest& request, const AttentionForm& form, std::int64_t steps) {
  const Wide all = Wide(steps) * steps;
  if (!request.is_flash() || !form.causal) return all;
  const std::int64_t window = std::min(form.window.value_or(steps), steps);
  const Wide begin = Wide::from((Wide(window) * (Wide(window) + 1)).value() / 2);
  return begin + Wide(steps - window) * window;
}

LayerSpec& add_activation(LayerList& layers, std::string_view name, const ImportRequest& request,
                          const Activation& activation) {
  LayerSpec& layer = layers.add(name, activation.kind);
  const bool fused = request.options.kernels == ImportKernels::kFused;
  return fused || activation.form.empty() ? layer : layer.with("form", activation.form);
}

LayerSpec& add_rms_norm(LayerList& layers, std::string_view name, const ImportRequest& request) {
  LayerSpec& norm = layers.add(name, "rms_norm");
  return request.options.kernels == ImportKernels::kFused ? norm : norm.with("form", "eager");
}

void add_gated_mlp(LayerList& layers, const ImportRequest& request, const GatedMlp& mlp) {
  const std::string input = layers.last();
  layers.linear(mlp.gate, mlp.units, mlp.bias).reads({input});
  const bool fused = request.options.kernels == ImportKernels::kFused;
  if (!fused) add_activation(layers, mlp.act, request, mlp.activation);
  layers.linear(mlp.up, mlp.units, mlp.bias).reads({input});
  if (fused) {
    layers.add(mlp.product, "gated")
        .with("activation", mlp.activation.kind)
        .reads({mlp.gate, mlp.up});
  } else {
    layers.add(mlp.product, "multiply").reads({mlp.act, mlp.up});
  }
  layers.dropout(mlp.product + "_dropout", mlp.dropout);
  layers.linear(mlp.down, mlp.width, mlp.bias);
}

void add_language_head(LayerList& layers, const ImportRequest& request, const LanguageHead& head) {
  const std::string memory = loss_of(request.options);
  if (memory == "chunked") {
    if (head.bias) {
      request.config.get("model_type")
          .fail(fmt::format("{} with --loss chunked", request.config.get("model_type").found()),
                "another --loss", "its head has a bias");
    }
    LayerSpec& loss =
        layers.add(head.name, "linear_cross_entropy").with("vocabulary", head.vocabulary);
    if (!head.tied_to.empty()) loss.with("tied_to", head.tied_to);
    return;
  }
  LayerSpec& logits = layers.linear(head.name, head.vocabulary, head.bias);
  if (!head.tied_to.empty()) logits.with("tied_to", head.tied_to);
  layers.add("loss", "softmax_cross_entropy").with("memory", memory);
}

}  // namespace ooc
