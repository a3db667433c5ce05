// Reading of configs. Keys and their defaults are those of Hugging Face's configuration classes.
#include "model/network/import_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/errors.hpp"
#include "model/layers/attributes.hpp"

namespace ooc {

std::optional<SpecView> CheckpointConfig::find(std::string_view key) const {
  std::optional<SpecView> value = root_.find(key);
  if (value && value->type() == SpecType::kNull) return std::nullopt;
  return value;
}

SpecView CheckpointConfig::get(std::string_view key) const {
  if (auto value = find(key)) return *std::move(value);
  return root_.get(key);  // absent: its error; null: that of whoever reads it
}

std::int64_t CheckpointConfig::size(std::string_view key) const {
  return get(key).as_integer(1, kMaxSize);
}

std::int64_t CheckpointConfig::size(std::string_view key, std::int64_t otherwise) const {
  const auto value = find(key);
  return value ? value->as_integer(1, kMaxSize) : otherwise;
}

bool CheckpointConfig::flag(std::string_view key, bool otherwise) const {
  const auto value = find(key);
  return value ? value->as_boolean() : otherwise;
}

std::string CheckpointConfig::text(std::string_view key, std::string_view otherwise) const {
  const auto value = find(key);
  return value ? value->as_text() : std::string(otherwise);
}

double CheckpointConfig::share(std::string_view key, double otherwise) const {
  const auto value = find(key);
  if (!value) return otherwise;
  const double share = value->as_number();
  if (!(share >= 0 && share <= 1)) value->fail(value->found(), "a share from 0 to 1");
  return share;
}

double CheckpointConfig::dropout(std::string_view key, double otherwise) const {
  const double rate = share(key, otherwise);
  if (rate == 1) get(key).fail(get(key).found(), "a rate below 1");
  return rate;
}

std::int64_t CheckpointConfig::head_width(std::string_view heads, std::string_view width) const {
  const std::int64_t count = size(heads);
  const std::int64_t whole = size(width);
  if (whole % count == 0) return whole / count;
  get(heads).fail(fmt::format("{}", count), fmt::format("a divisor of {}, {}", width, whole));
}

Activation CheckpointConfig::activation(std::string_view key, std::string_view otherwise) const {
  struct Known {
    std::string_view in_config;
    std::string_view kind;
    std::string_view form = {};
  };
  static constexpr Known kKnown[] = {
      {"silu", "silu"},
      {"swish", "silu"},
      {"gelu", "gelu"},
      {"relu", "relu"},
      {"sigmoid", "sigmoid"},
      {"tanh", "tanh"},
      {"gelu_10", "gelu"},
      {"gelu_pytorch_tanh", "gelu"},
      {"gelu_new", "gelu", "gelu_new"},
      {"gelu_fast", "gelu", "gelu_fast"},
      {"quick_gelu", "gelu", "quick_gelu"},
  };
  const std::string word = text(key, otherwise);
  std::vector<std::string> words;
  for (const Known& each : kKnown) {
    if (each.in_config == word) return {std::string(each.kind), std::string(each.form)};
    words.emplace_back(each.in_config);
  }
  (void)get(key).as_choice(words);  // throws: it is none of them
  return {};
}

std::string CheckpointConfig::head(std::initializer_list<std::string_view> known) const {
  const auto list = find("architectures");
  if (!list || list->items().empty()) return {};
  const SpecView first = list->items().front();
  const std::string whole = first.as_text();
  std::string words;
  for (const std::string_view each : known) {
    // "LlamaForCausalLM" and "GPT2LMHeadModel", but "GPT2DoubleHeadsModel" is no "Model".
    const bool ends = whole.ends_with(each) && whole.size() > each.size();
    const bool is_bare = each != "Model" || whole.find("Head") == std::string::npos;
    if (ends && is_bare) return std::string(each);
    words += fmt::format("{}\"…{}\"", words.empty() ? "" : ", ", each);
  }
  first.fail(first.found(), "a model whose head is understood: " + words);
}

std::int64_t CheckpointConfig::labels() const {
  if (const auto names = root_.find("id2label"); names && names->type() == SpecType::kObject) {
    const std::size_t count = names->node().members.size();
    if (count > 0) return size("num_labels", static_cast<std::int64_t>(count));
  }
  return size("num_labels", 2);
}

void CheckpointConfig::refuse(std::string_view key, const std::string& expected) const {
  const auto value = find(key);
  if (!value) return;
  const SpecNode& node = value->node();
  const bool is_off = (node.type == SpecType::kBoolean && !node.boolean) ||
                      (node.type == SpecType::kNumber && (node.number == 0 || node.number == 1)) ||
                      (node.type == SpecType::kList && node.items.empty());
  if (!is_off) value->fail(value->found(), expected);
}

std::int64_t sequence_length(const ImportRequest& request, std::string_view key,
                             Positions positions, std::int64_t usable) {
  constexpr std::int64_t kUsual = 4096;
  const std::int64_t length = request.options.seq.value_or(std::min(usable, kUsual));
  if (length <= usable) return length;
  const bool may = positions == Positions::kRotary;
  if (may && request.options.allow_long) return length;
  request.config.get(key).fail(
      fmt::format("{} positions", usable),
      fmt::format("at least {}, the length of the sequence", length),
      may ? "`import --allow-long` takes rotary positions beyond it" : "they are learned");
}

}  // namespace ooc
