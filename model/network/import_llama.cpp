// llama, mistral, qwen2, qwen3 and gemma: RMS norms, rotary positions, grouped keys and values, a gated
// MLP. They differ in biases, in norms of queries and keys, in windows and in whether the head is tied.
// mixtral, qwen2_moe and qwen3_moe are mistral, qwen2 and qwen3 with a mixture of experts in place of the MLP,
// in all layers or in some.
//
// Left out: gemma scales its embedding, a pass over [T, H].
#include <fmt/format.h>

#include <algorithm>

#include "model/layers/attributes.hpp"
#include "model/network/import_parts.hpp"

namespace ooc {
namespace {

struct Mixture {
  std::int64_t experts = 1;
  std::int64_t top = 1;
  std::int64_t units = 1;   ///< of an expert
  std::int64_t shared = 0;  ///< of an expert that every step goes through, with a gate
};

struct LlamaSizes {
  std::int64_t width = 1;
  std::int64_t layers = 1;
  std::int64_t vocabulary = 1;
  std::int64_t units = 1;  ///< of the MLP
  std::int64_t head = 1;   ///< width
  AttentionForm attention;
  double rotary = 1;  ///< share of a head that is rotated
  bool input_bias = false;
  bool output_bias = false;
  bool mlp_bias = false;
  bool head_norms = false;  ///< of queries and keys
  bool tied = false;
  bool has_head = true;
  Activation activation;
  std::optional<Mixture> mixture = {};
  std::vector<bool> sparse = {};  ///< by layer: has experts; empty: none has
};

/// The window of all layers, if they have one; configs say it in three ways.
std::optional<std::int64_t> window_of(const CheckpointConfig& config, std::int64_t layers) {
  const auto window = config.find("sliding_window");
  bool is_used = window.has_value();
  if (config.text("model_type", "").starts_with("qwen")) {
    is_used = is_used && config.flag("use_sliding_window", false);
    // Layers from max_window_layers on have it.
    if (const auto full = config.find("max_window_layers"); is_used && full) {
      const std::int64_t first = full->as_integer(0, kMaxSize);
      if (first > 0 && first < layers) {
        full->fail(full->found(), fmt::format("0 or {}: windows in all layers or in none", layers));
      }
      is_used = first == 0;
    }
  }
  if (const auto types = config.find("layer_types")) {
    for (const SpecView& type : types->items()) {
      const std::string expected = is_used ? "sliding_attention" : "full_attention";
      if (type.as_text() != expected) {
        type.fail(type.found(), in_quotes(expected) + " in all layers, as sliding_window has it");
      }
    }
  }
  return is_used ? std::optional(window->as_integer(1, kMaxSize)) : std::nullopt;
}

Mixture read_mixture_of(const CheckpointConfig& config, std::string_view family) {
  const bool mixtral = family == "mixtral";
  Mixture mixture;
  mixture.experts = config.size(mixtral ? "num_local_experts" : "num_experts");
  const SpecView top = config.get("num_experts_per_tok");
  mixture.top = top.as_integer(1, kMaxSize);
  if (mixture.top > mixture.experts) {
    top.fail(top.found(), fmt::format("at most {}, the experts there are", mixture.experts));
  }
  mixture.units = config.size(mixtral ? "intermediate_size" : "moe_intermediate_size");
  if (family == "qwen2_moe") mixture.shared = config.size("shared_expert_intermediate_size");
  return mixture;
}

/// Every `decoder_sparse_step`-th layer, but for those that are named.
std::vector<bool> sparse_layers(const CheckpointConfig& config, std::int64_t layers) {
  const std::int64_t step = config.size("decoder_sparse_step", 1);
  std::vector<bool> sparse(static_cast<std::size_t>(layers));
  for (std::size_t i = 0; i < sparse.size(); ++i) {
    sparse[i] = static_cast<std::int64_t>(i + 1) % step == 0;
  }
  const auto dense = config.find("mlp_only_layers");
  if (!dense) return sparse;
  for (const SpecView& layer : dense->items()) {
    sparse[static_cast<std::size_t>(layer.as_integer(0, layers - 1))] = false;
  }
  return sparse;
}

std::int64_t sparse_count(const LlamaSizes& sizes) {
  return std::count(sizes.sparse.begin(), sizes.sparse.end(), true);
}

LlamaSizes read_sizes(const CheckpointConfig& config) {
  const std::string family = config.text("model_type", "");
  const bool gemma = family == "gemma";
  const bool qwen3 = family.starts_with("qwen3");
  LlamaSizes sizes;
  sizes.width = config.size("hidden_size");
  sizes.layers = config.get("num_hidden_layers").as_integer(1, 100'000);
  sizes.vocabulary = config.size("vocab_size");
  if (family == "mixtral" || family.ends_with("_moe")) {
    sizes.mixture = read_mixture_of(config, family);
    sizes.sparse = sparse_layers(config, sizes.layers);
  }
  const bool all_sparse =
      std::find(sizes.sparse.begin(), sizes.sparse.end(), false) == sizes.sparse.end() &&
      sizes.mixture;
  sizes.units = all_sparse ? 1 : config.size("intermediate_size");
  sizes.attention.heads = config.size("num_attention_heads");
  sizes.attention.kv_heads = config.size("num_key_value_heads", sizes.attention.heads);
  if (sizes.attention.heads % sizes.attention.kv_heads != 0) {
    const SpecView heads = config.get("num_key_value_heads");
    heads.fail(heads.found(),
               fmt::format("a divisor of num_attention_heads, {}", sizes.attention.heads));
  }
  sizes.head = config.find("head_dim") ? config.size("head_dim")
                                       : config.head_width("num_attention_heads", "hidden_size");
  if (Wide(sizes.head) * sizes.attention.heads > Wide(kMaxSize)) {
    const SpecView heads = config.get("num_attention_heads");
    heads.fail(heads.found(), fmt::format("fewer heads of {}", sizes.head));
  }
  sizes.attention.causal = true;
  sizes.attention.float32_softmax = true;
  sizes.attention.dropout = config.dropout("attention_dropout", 0);
  sizes.attention.window = window_of(config, sizes.layers);
  sizes.rotary = config.share("partial_rotary_factor", 1);
  const bool has_key = family == "llama" || qwen3 || gemma;
  const bool bias = has_key && config.flag("attention_bias", false);
  sizes.input_bias =
      bias || family == "qwen2" || (family == "qwen2_moe" && config.flag("qkv_bias", true));
  sizes.output_bias = bias;
  sizes.mlp_bias = family == "llama" && config.flag("mlp_bias", false);
  sizes.head_norms = qwen3;
  sizes.tied = config.flag("tie_word_embeddings", gemma);
  sizes.has_head = config.head({"ForCausalLM", "LMHeadModel", "Model"}) != "Model";
  // Gemma's second name for it came when the first had said gelu and meant its approximation by tanh.
  sizes.activation = config.find("hidden_activation")
                         ? config.activation("hidden_activation", "gelu")
                         : config.activation("hidden_act", gemma ? "gelu" : "silu");
  return sizes;
}

void add_rotary(LayerList& layers, const ImportRequest& request, const LlamaSizes& sizes,
                std::string_view name, std::int64_t heads, std::string_view input) {
  LayerSpec& layer = layers.add(name, "rotary").with("heads", heads);
  if (request.options.kernels != ImportKernels::kFused) layer.with("form", "eager");
  if (sizes.rotary != 1) layer.with("fraction", sizes.rotary);
  layer.reads({input});
}

void add_mixture(LayerList& layers, const ImportRequest& request, const LlamaSizes& sizes) {
  const Mixture& mixture = *sizes.mixture;
  LayerSpec& moe = layers.add("mlp", "moe")
                       .with("experts", mixture.experts)
                       .with("top_k", mixture.top)
                       .with("units", mixture.units)
                       .with("activation", sizes.activation.kind);
  if (mixture.shared > 0) moe.with("shared_units", mixture.shared).with("shared_gate", true);
  if (request.options.kernels == ImportKernels::kFused) moe.with("form", "fused");
}

LayerList block_of(const ImportRequest& request, const LlamaSizes& sizes, bool sparse) {
  const std::int64_t heads = sizes.attention.heads;
  const std::int64_t kv_heads = sizes.attention.kv_heads;
  LayerList block;
  add_rms_norm(block, "input_layernorm", request);
  const auto project = [&](std::string_view name, std::int64_t count) {
    block.linear(name, count * sizes.head, sizes.input_bias).reads({"input_layernorm"});
  };
  project("self_attn.q_proj", heads);
  project("self_attn.k_proj", kv_heads);
  project("self_attn.v_proj", kv_heads);
  std::string query = "self_attn.q_proj";
  std::string key = "self_attn.k_proj";
  if (sizes.head_norms) {
    // Of a head of a step at a time.
    add_rms_norm(block, "self_attn.q_norm", request).with("width", sizes.head).reads({query});
    add_rms_norm(block, "self_attn.k_norm", request).with("width", sizes.head).reads({key});
    query = "self_attn.q_norm";
    key = "self_attn.k_norm";
  }
  if (sizes.rotary > 0) {
    add_rotary(block, request, sizes, "self_attn.q_rotary", heads, query);
    add_rotary(block, request, sizes, "self_attn.k_rotary", kv_heads, key);
    query = "self_attn.q_rotary";
    key = "self_attn.k_rotary";
  }
  add_attention(block, "self_attn.attention", request, sizes.attention)
      .reads({query, key, "self_attn.v_proj"});
  block.linear("self_attn.o_proj", sizes.width, sizes.output_bias);
  block.residual("attention_residual", "@input");
  add_rms_norm(block, "post_attention_layernorm", request);
  if (sparse) {
    add_mixture(block, request, sizes);
  } else {
    add_gated_mlp(block, request,
                  {.gate = "mlp.gate_proj",
                   .up = "mlp.up_proj",
                   .down = "mlp.down_proj",
                   .act = "mlp.act_fn",
                   .product = "mlp.product",
                   .activation = sizes.activation,
                   .units = sizes.units,
                   .width = sizes.width,
                   .bias = sizes.mlp_bias});
  }
  block.residual("mlp_residual", "attention_residual");
  return block;
}

/// Runs of layers that are alike; where there are several each is named by its first.
void add_blocks(LayerList& layers, const ImportRequest& request, const LlamaSizes& sizes) {
  constexpr int kMostRuns = 1000;  // each is written out
  int runs = 0;
  std::vector<bool> sparse = sizes.sparse;
  sparse.resize(static_cast<std::size_t>(sizes.layers), false);
  for (auto first = sparse.begin(); first != sparse.end();) {
    if (++runs > kMostRuns) {
      const SpecView count = request.config.get("num_hidden_layers");
      count.fail(count.found(),
                 fmt::format("at most {} runs of layers with experts or without", kMostRuns));
    }
    const auto end = std::find(first, sparse.end(), !*first);
    const bool all = first == sparse.begin() && end == sparse.end();
    const std::string name =
        all ? "model.layers" : fmt::format("model.layers.{}", first - sparse.begin());
    layers.repeat(name, end - first, block_of(request, sizes, *first));
    first = end;
  }
}

/// The experts of a layer and what is theirs, in place of an MLP.
Wide mixture_parameters(const LlamaSizes& s) {
  const Mixture& of = *s.mixture;
  const Wide shared = of.shared > 0 ? Wide(3) * s.width * of.shared + s.width : Wide(0);
  return Wide(s.width) * of.experts + Wide(3) * of.experts * s.width * of.units + shared;
}

/// Of a step.
Wide mixture_macs(const LlamaSizes& s) {
  const Mixture& of = *s.mixture;
  const Wide shared = of.shared > 0 ? Wide(3) * s.width * of.shared + s.width : Wide(0);
  return Wide(s.width) * of.experts + Wide(3) * of.top * s.width * of.units + shared;
}

Wide parameters_of(const LlamaSizes& s) {
  const Wide queries = Wide(s.attention.heads) * s.head;
  const Wide keys_values = Wide(2) * s.attention.kv_heads * s.head;
  Wide block = Wide(2) * s.width + Wide(s.width) * (Wide(2) * queries + keys_values);
  Wide mlp = Wide(3) * s.width * s.units;
  if (s.input_bias) block = block + queries + keys_values;
  if (s.output_bias) block = block + s.width;
  if (s.mlp_bias) mlp = mlp + Wide(2) * s.units + s.width;
  if (s.head_norms) block = block + Wide(2) * s.head;
  const std::int64_t tables = s.has_head && !s.tied ? 2 : 1;
  const std::int64_t sparse = sparse_count(s);
  Wide mlps = Wide(s.layers - sparse) * mlp;
  if (sparse > 0) mlps = mlps + Wide(sparse) * mixture_parameters(s);
  return Wide(tables) * s.vocabulary * s.width + Wide(s.layers) * block + mlps + s.width;
}

Wide macs_of(const ImportRequest& request, const LlamaSizes& s, std::int64_t steps) {
  const Wide queries = Wide(s.attention.heads) * s.head;
  const Wide keys_values = Wide(2) * s.attention.kv_heads * s.head;
  const Wide block = Wide(s.width) * (Wide(2) * queries + keys_values);
  const std::int64_t sparse = sparse_count(s);
  Wide mlps = Wide(s.layers - sparse) * 3 * s.width * s.units;
  if (sparse > 0) mlps = mlps + Wide(sparse) * mixture_macs(s);
  const Wide head = s.has_head ? Wide(s.vocabulary) * s.width : Wide(0);
  const Wide pairs = attention_pairs(request, s.attention, steps);
  return Wide(steps) * (Wide(s.layers) * block + mlps + head) +
         Wide(2) * s.layers * queries * pairs;
}

}  // namespace

ImportedNetwork import_llama(const ImportRequest& request) {
  const CheckpointConfig& config = request.config;
  const LlamaSizes sizes = read_sizes(config);
  const auto positions = config.find("max_position_embeddings");
  constexpr std::int64_t kUsual = 4096;
  const std::int64_t steps = sequence_length(
      request, "max_position_embeddings", Positions::kRotary,
      positions ? positions->as_integer(1, kMaxSize) : request.options.seq.value_or(kUsual));
  LayerList layers;
  layers.add("model.embed_tokens", "embedding")
      .with("vocabulary", sizes.vocabulary)
      .with("width", sizes.width);
  add_blocks(layers, request, sizes);
  add_rms_norm(layers, "model.norm", request);
  if (sizes.has_head) {
    add_language_head(layers, request,
                      {.name = "lm_head",
                       .vocabulary = sizes.vocabulary,
                       .tied_to = sizes.tied ? "model.embed_tokens" : ""});
  }
  return {.inputs = {{"input_ids", {text_node("seq")}}},
          .symbols = {{"seq", steps}},
          .layers = layers.take(),
          .parameters = parameters_of(sizes),
          .forward_macs = macs_of(request, sizes, steps)};
}

}  // namespace ooc
