// What is quantised is what QLoRA quantises (arXiv:2305.14314): the linear layers of the blocks, those without adapters
// too. Embeddings, norms and what stands behind the blocks (a head) are kept as the precision keeps weights.
#include "model/network/adapters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

SpecNode* member(SpecNode& object, std::string_view key) {
  for (auto& [name, value] : object.members) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::string_view text_of(SpecNode& object, std::string_view key) {
  const SpecNode* value = member(object, key);
  return value == nullptr ? std::string_view() : std::string_view(value->text);
}

void set(SpecNode& object, std::string_view key, SpecNode value) {
  if (SpecNode* known = member(object, key)) {
    *known = std::move(value);
  } else {
    object.members.emplace_back(std::string(key), std::move(value));
  }
}

/// "q_proj" of "self_attn.q_proj".
std::string_view last_word(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

/// `target`: such as "q" or, for either of several, "q/c_attn".
bool is_named(std::string_view name, std::string_view target) {
  if (const std::size_t either = target.find('/'); either != std::string_view::npos) {
    return is_named(name, target.substr(0, either)) || is_named(name, target.substr(either + 1));
  }
  constexpr std::string_view kProjection = "_proj";
  std::string_view word = last_word(name);
  if (word == target) return true;
  for (const auto& [brief, whole] : {std::pair{"q", "query"}, {"k", "key"}, {"v", "value"}}) {
    if (target == brief && word == whole) return true;
  }
  if (!word.ends_with(kProjection)) return false;
  word.remove_suffix(kProjection.size());
  return word == target;
}

class AdapterWriter {
 public:
  AdapterWriter(SpecDocument& network, const AdapterOptions& options, bool fused)
      : network_(network),
        options_(options),
        fused_(fused),
        is_found_(options.targets.size(), false) {}

  void run() && {
    SpecNode& root = network_.root;
    SpecNode* layers = root.type == SpecType::kObject ? member(root, "layers") : nullptr;
    if (layers == nullptr) return;  // the reader says so
    has_blocks_ = std::ranges::any_of(
        layers->items, [](SpecNode& layer) { return text_of(layer, "type") == "repeat"; });
    find_head(*layers);
    walk(*layers, !has_blocks_);
    check_found();
    set(root, "frozen", boolean_node(true));
    if (!options_.base || is_quantised(*options_.base)) return;
    set(root, "storage", text_node(storage_name(*options_.base)));
  }

 private:
  /// Without blocks the last linear layer is taken for the head.
  void find_head(SpecNode& layers) {
    for (SpecNode& layer : layers.items) {
      if (text_of(layer, "type") == "linear") head_ = &layer;
    }
  }

  void walk(SpecNode& layers, bool in_block) {
    for (SpecNode& layer : layers.items) {
      if (layer.type != SpecType::kObject) continue;
      const std::string_view type = text_of(layer, "type");
      if (SpecNode* body = member(layer, "layers"); type == "repeat" && body != nullptr) {
        walk(*body, true);
      } else if (type == "linear" || type == "moe") {
        adapt(layer, in_block && (has_blocks_ || &layer != head_));
      }
    }
  }

  void adapt(SpecNode& layer, bool of_block) {
    if (member(layer, "tied_to") != nullptr) return;
    const std::string name(text_of(layer, "name"));
    names_.emplace_back(last_word(name));
    if (is_target(name, of_block)) {
      SpecNode lora;
      lora.type = SpecType::kObject;
      set(lora, "rank", integer_node(options_.rank));
      if (options_.dropout > 0) set(lora, "dropout", number_node(options_.dropout));
      if (options_.dtype) set(lora, "dtype", text_node(options_.dtype->name()));
      if (fused_) set(lora, "fused", boolean_node(true));
      set(layer, "lora", std::move(lora));
    }
    if (!of_block || !options_.base || !is_quantised(*options_.base)) return;
    set(layer, "frozen", boolean_node(true));
    set(layer, "storage", text_node(storage_name(*options_.base)));
  }

  bool is_target(std::string_view name, bool of_block) {
    if (options_.targets.empty()) {
      any_ = any_ || of_block;
      return of_block;
    }
    bool found = false;
    for (std::size_t i = 0; i < options_.targets.size(); ++i) {
      if (!is_named(name, options_.targets[i])) continue;
      if (found) refuse_twice(name, options_.targets[i]);
      is_found_[i] = true;
      found = true;
    }
    return found;
  }

  void refuse_twice(std::string_view name, const std::string& target) const {
    throw SpecError(
        {.file = network_.file,
         .place = "--lora",
         .found = fmt::format("{} where {} is named already", in_quotes(target), last_word(name)),
         .expected = "each layer once"});
  }

  void check_found() {
    std::ranges::sort(names_);
    names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
    const std::string known =
        names_.empty() ? "a network with linear layers whose weights are their own"
                       : fmt::format("names of linear layers, of {}", fmt::join(names_, ", "));
    const auto refuse = [&](std::string found, std::string hint) {
      throw SpecError({network_.file, "--lora", std::move(found), known, std::move(hint)});
    };
    if (options_.targets.empty() && !any_) refuse("no layer to adapt", "");
    for (std::size_t i = 0; i < is_found_.size(); ++i) {
      const std::string& target = options_.targets[i];
      if (!is_found_[i]) refuse(in_quotes(target), did_you_mean(target, names_));
    }
  }

  SpecDocument& network_;
  const AdapterOptions& options_;
  bool fused_;
  std::vector<bool> is_found_;
  std::vector<std::string> names_;  ///< last words of those that could be adapted
  bool has_blocks_ = false;
  bool any_ = false;
  const SpecNode* head_ = nullptr;
};

}  // namespace

void add_adapters(SpecDocument& network, const AdapterOptions& options, bool fused) {
  AdapterWriter(network, options, fused).run();
}

std::optional<Dtype> adapter_type(const Network& network) {
  for (const Layer& layer : network.layers) {
    if (layer.model->parameter_type) return layer.model->parameter_type;
  }
  return {};
}

void expect_sums(SpecDocument& file, const Network& network) {
  const std::int64_t all = total_parameters(network);
  const std::int64_t trainable = trainable_parameters(network);
  SpecNode expect = object_node({{"parameters", integer_node(all)}});
  if (trainable != all) set(expect, "trainable_parameters", integer_node(trainable));
  set(expect, "forward_macs", integer_node(total_forward_macs(network)));
  set(file.root, "expect", std::move(expect));
}

}  // namespace ooc
