// What the importers of all families share: reading a config, writing layers, and the pieces of a block.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/layers/wide.hpp"
#include "model/network/import_config.hpp"

namespace ooc {

/// A layer kind, and where a model writes it out in Python how (the field "form" of gelu).
struct Activation {
  std::string kind;
  std::string form = {};
};

/// A config whose keys may be left out or null. What is never asked for is ignored.
class CheckpointConfig {
 public:
  explicit CheckpointConfig(const SpecDocument& document) : root_(document) {}

  [[nodiscard]] const SpecView& root() const { return root_; }
  /// None where the key is absent or null.
  [[nodiscard]] std::optional<SpecView> find(std::string_view key) const;
  /// The value, an error where it is absent or null.
  [[nodiscard]] SpecView get(std::string_view key) const;
  [[nodiscard]] std::int64_t size(std::string_view key) const;
  [[nodiscard]] std::int64_t size(std::string_view key, std::int64_t otherwise) const;
  [[nodiscard]] bool flag(std::string_view key, bool otherwise) const;
  [[nodiscard]] std::string text(std::string_view key, std::string_view otherwise) const;
  /// A share in [0, 1].
  [[nodiscard]] double share(std::string_view key, double otherwise) const;
  [[nodiscard]] double dropout(std::string_view key, double otherwise) const;
  /// `width`'s value over `heads`'s: an error where it does not come out even.
  [[nodiscard]] std::int64_t head_width(std::string_view heads, std::string_view width) const;
  /// Of the name that Hugging Face's models have for it.
  [[nodiscard]] Activation activation(std::string_view key, std::string_view otherwise) const;
  /// What follows the last layer: "CausalLM" of "LlamaForCausalLM", "Model" of "LlamaModel"; empty where
  /// `architectures` is absent. An error where it is none of `known`.
  [[nodiscard]] std::string head(std::initializer_list<std::string_view> known) const;
  [[nodiscard]] std::int64_t labels() const;
  /// An error naming the key if it says anything but null, false, 0, 1 (as of experts) or an empty list.
  void refuse(std::string_view key, const std::string& expected) const;

 private:
  SpecView root_;
};

/// What becomes of a config.
struct ImportedNetwork {
  struct Input {
    std::string name;
    std::vector<SpecNode> shape;
  };
  std::vector<Input> inputs;
  std::vector<SymbolValue> symbols;
  std::vector<SpecNode> layers;
  Wide parameters;    ///< by the family's closed form
  Wide forward_macs;  ///< likewise
};

struct ImportRequest {
  const CheckpointConfig& config;
  const ImportOptions& options;
  /// Of the sequence, within the positions that the config has.
  [[nodiscard]] bool is_flash() const { return options.kernels != ImportKernels::kEager; }
};

/// One family, or several that differ in little.
using ImportFamily = ImportedNetwork (*)(const ImportRequest& request);
[[nodiscard]] ImportedNetwork import_llama(const ImportRequest& request);
[[nodiscard]] ImportedNetwork import_gpt2(const ImportRequest& request);
[[nodiscard]] ImportedNetwork import_gpt_neox(const ImportRequest& request);
[[nodiscard]] ImportedNetwork import_bert(const ImportRequest& request);
[[nodiscard]] ImportedNetwork import_vit(const ImportRequest& request);
[[nodiscard]] ImportedNetwork import_t5(const ImportRequest& request);

/// How far positions reach: learned ones no further, rotary ones further where it is allowed.
enum class Positions { kLearned, kRotary };
/// --seq, or min(positions, 4096); an error at `key` for more than it says.
[[nodiscard]] std::int64_t sequence_length(const ImportRequest& request, std::string_view key,
                                           Positions positions, std::int64_t usable);

// ---- Layers as they stand in a file

[[nodiscard]] SpecNode boolean_node(bool value);
[[nodiscard]] SpecNode number_node(double value);
[[nodiscard]] SpecNode integer_node(std::int64_t value);
[[nodiscard]] SpecNode text_node(std::string_view text);

/// One layer that is being written.
class LayerSpec {
 public:
  LayerSpec(std::string_view name, std::string_view type);
  LayerSpec& reads(std::initializer_list<std::string_view> producers);
  LayerSpec& with(std::string_view key, std::int64_t value);
  LayerSpec& with(std::string_view key, std::string_view text);
  LayerSpec& with(std::string_view key, const char* text) {
    return with(key, std::string_view(text));
  }
  LayerSpec& with(std::string_view key, bool flag);
  LayerSpec& with(std::string_view key, double number);
  LayerSpec& with(std::string_view key, SpecNode value);
  [[nodiscard]] SpecNode take() { return std::move(node_); }

 private:
  SpecNode node_;
};

/// Layers one behind the other; each reads the one before unless it says otherwise.
class LayerList {
 public:
  /// The layer, to be given its fields.
  LayerSpec& add(std::string_view name, std::string_view type);
  LayerSpec& linear(std::string_view name, std::int64_t units, bool bias);
  /// Nothing where the rate is 0.
  void dropout(std::string_view name, double rate);
  /// A sum of the layer before and `other`.
  void residual(std::string_view name, std::string_view other);
  void repeat(std::string_view name, std::int64_t times, LayerList block);
  /// The name of the last layer.
  [[nodiscard]] const std::string& last() const { return last_; }
  [[nodiscard]] std::vector<SpecNode> take();

 private:
  std::vector<LayerSpec> layers_;
  std::string last_;
};

// ---- Pieces of a block

struct AttentionForm {
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  bool causal = false;
  bool float32_softmax = false;  ///< of the kernels that are not flash
  std::optional<std::int64_t> window = {};
  double dropout = 0;
};
/// Of query, key and value, or of all three side by side; what it reads is for the caller to say.
LayerSpec& add_attention(LayerList& layers, std::string_view name, const ImportRequest& request,
                         const AttentionForm& form);
/// Pairs of query and key that attention of T steps multiplies.
[[nodiscard]] Wide attention_pairs(const ImportRequest& request, const AttentionForm& form,
                                   std::int64_t steps);
/// Written out where the kernels are not fused ones and the model does so.
LayerSpec& add_activation(LayerList& layers, std::string_view name, const ImportRequest& request,
                          const Activation& activation);
LayerSpec& add_rms_norm(LayerList& layers, std::string_view name, const ImportRequest& request);

/// Two branches of the MLP, one through the activation, and their product. `prefix` stands before all names.
struct GatedMlp {
  std::string gate, up, down, act, product;
  Activation activation;
  std::int64_t units = 1;
  std::int64_t width = 1;
  bool bias = false;
  double dropout = 0;  ///< of the product
};
void add_gated_mlp(LayerList& layers, const ImportRequest& request, const GatedMlp& mlp);

/// The projection on the vocabulary and the loss behind it.
struct LanguageHead {
  std::string name;
  std::int64_t vocabulary = 1;
  bool bias = false;
  std::string tied_to = {};  ///< the embedding; empty: weights of its own
};
void add_language_head(LayerList& layers, const ImportRequest& request, const LanguageHead& head);

}  // namespace ooc
