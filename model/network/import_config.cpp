// The table of families, what no family understands, and the frame of the file. Keys that change what is
// computed and are not understood are refused by name; all others are ignored, as configs are full of them.
#include "model/network/import_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "model/base/standard_input.hpp"
#include "model/base/suggest.hpp"
#include "model/layers/work.hpp"
#include "model/network/import_parts.hpp"

namespace ooc {
namespace {

struct FamilyEntry {
  std::string_view model_type;
  ImportFamily import;
  bool has_experts = false;
};

constexpr FamilyEntry kFamilies[] = {
    {"bert", &import_bert},
    {"gemma", &import_llama},
    {"gpt2", &import_gpt2},
    {"gpt_neox", &import_gpt_neox},
    {"llama", &import_llama},
    {"mistral", &import_llama},
    {"mixtral", &import_llama, true},
    {"qwen2", &import_llama},
    {"qwen2_moe", &import_llama, true},
    {"qwen3", &import_llama},
    {"qwen3_moe", &import_llama, true},
    {"roberta", &import_bert},
    {"t5", &import_t5},
    {"vit", &import_vit},
};

const FamilyEntry& family_of(const CheckpointConfig& config) {
  const SpecView type = config.get("model_type");
  const std::string name = type.as_text();
  for (const FamilyEntry& family : kFamilies) {
    if (family.model_type == name) return family;
  }
  const std::vector<std::string> known = imported_families();
  type.fail(type.found(), fmt::format("one of {}", fmt::join(known, ", ")),
            did_you_mean(name, known));
}

/// Keys of any family that say that layers are others than the family's.
void refuse_what_is_not_understood(const CheckpointConfig& config, bool has_experts) {
  struct Refused {
    std::string_view key;
    std::string_view why;
  };
  static constexpr Refused kRefused[] = {
      {"quantization_config", "weights that are not quantised"},
      {"kv_lora_rank", "keys and values that are not compressed (latent attention)"},
      {"q_lora_rank", "queries that are not compressed (latent attention)"},
      {"qk_rope_head_dim", "heads that are rotated whole (no latent attention)"},
      {"n_routed_experts", "a mixture as mixtral or qwen3_moe name theirs"},
      {"num_nextn_predict_layers", "no layers that predict further words"},
      {"cross_attention_layers", "no cross attention"},
      {"add_cross_attention", "no cross attention"},
      {"is_decoder", "an encoder"},
      {"linear_num_key_heads", "no linear attention"},
      {"attention_chunk_size", "no attention in chunks"},
      {"attention_multiplier", "none: scores scaled by the width of a head"},
      {"use_qk_norm", "no such norms of queries and keys"},
      {"qk_layernorm", "no such norms of queries and keys"},
      {"num_kv_shared_layers", "keys and values of each layer its own"},
      {"text_config", "a config of the language model alone"},
      {"vision_config", "a config of one model alone"},
  };
  for (const Refused& each : kRefused) {
    config.refuse(each.key, std::string(each.why));
  }
  for (const std::string_view key : {"num_experts", "num_local_experts"}) {
    if (!has_experts) config.refuse(key, "no experts: this family has none");
  }
  const auto position = config.find("position_embedding_type");
  if (position && position->as_text() != "absolute") {
    position->fail(position->found(), "\"absolute\"");
  }
}

std::string name_of(const SpecDocument& config, const ImportOptions& options) {
  if (!options.name.empty()) return options.name;
  namespace fs = std::filesystem;
  if (config.file != kStandardInput) {
    const fs::path path(config.file);
    if (path.stem() != "config") return path.stem().string();
    std::error_code ignored;
    const fs::path folder = fs::absolute(path, ignored).lexically_normal().parent_path();
    if (!ignored && folder.has_filename()) return folder.filename().string();
  }
  return CheckpointConfig(config).text("model_type", "imported");
}

SpecNode object_node(std::vector<std::pair<std::string, SpecNode>> members) {
  SpecNode node;
  node.type = SpecType::kObject;
  node.members = std::move(members);
  return node;
}

SpecNode list_node(std::vector<SpecNode> items) {
  SpecNode node;
  node.type = SpecType::kList;
  node.items = std::move(items);
  return node;
}

SpecNode inputs_node(std::vector<ImportedNetwork::Input> inputs) {
  std::vector<SpecNode> nodes;
  for (ImportedNetwork::Input& input : inputs) {
    nodes.push_back(object_node(
        {{"name", text_node(input.name)}, {"shape", list_node(std::move(input.shape))}}));
  }
  return list_node(std::move(nodes));
}

std::string source_of(const CheckpointConfig& config, const ImportOptions& options) {
  if (!options.source.empty()) return options.source;
  const auto classes = config.find("architectures");
  const bool has_class = classes && !classes->items().empty();
  return fmt::format("config.json of {}", has_class ? classes->items().front().as_text()
                                                    : config.text("model_type", ""));
}

}  // namespace

std::string_view kernels_name(ImportKernels kernels) {
  switch (kernels) {
    case ImportKernels::kEager:
      return "eager";
    case ImportKernels::kSdpa:
      return "sdpa";
    case ImportKernels::kFused:
      return "fused";
  }
  return "";
}

bool is_checkpoint_config(const SpecDocument& document) {
  const auto& members = document.root.members;
  const auto has = [&](std::string_view key) {
    return std::any_of(members.begin(), members.end(),
                       [&](const auto& member) { return member.first == key; });
  };
  return has("model_type") && !has("format");
}

std::vector<std::string> imported_families() {
  std::vector<std::string> names;
  for (const FamilyEntry& family : kFamilies) names.emplace_back(family.model_type);
  return names;
}

std::string import_config(const SpecDocument& document, const ImportOptions& options) {
  const CheckpointConfig config(document);
  const FamilyEntry& family = family_of(config);
  refuse_what_is_not_understood(config, family.has_experts);
  ImportedNetwork made = family.import({.config = config, .options = options});

  std::vector<std::pair<std::string, SpecNode>> members;
  const auto add = [&](std::string_view key, SpecNode value) {
    members.emplace_back(std::string(key), std::move(value));
  };
  add("$schema", text_node("network.schema.json"));
  add("format", text_node("ooc-paleo/network"));
  add("version", integer_node(1));
  add("name", text_node(name_of(document, options)));
  add("source", text_node(source_of(config, options)));
  add("description",
      text_node(fmt::format("imported with --kernels {}", kernels_name(options.kernels)) +
                (options.loss.empty() ? "" : " --loss " + options.loss)));
  add("batch", integer_node(1));
  add("precision", text_node("bf16"));
  add("optimizer", text_node("adam"));
  if (!made.symbols.empty()) {
    std::vector<std::pair<std::string, SpecNode>> symbols;
    for (const SymbolValue& each : made.symbols) {
      symbols.emplace_back(each.name, integer_node(each.value));
    }
    add("symbols", object_node(std::move(symbols)));
  }
  add("inputs", inputs_node(std::move(made.inputs)));
  add("layers", list_node(std::move(made.layers)));
  const SpecView& root = config.root();
  add("expect",
      object_node({{"parameters", integer_node(to_count(root, made.parameters, "parameters"))},
                   {"forward_macs", integer_node(to_count(root, made.forward_macs,
                                                          "multiply-accumulates a sample"))}}));
  return json_text(object_node(std::move(members)));
}

}  // namespace ooc
