// gpt2 and gpt_neox: layer norms, one projection for query, key and value, an MLP of two layers. gpt2
// learns its positions and ties its head; gpt_neox rotates a share of each head and may run attention and
// MLP of a block side by side.
//
// Positions are read by the numbers of the words, a table of [T, H] a sample; Transformers reads them once
// for all samples. gpt_neox's query, key and value are copies of the packed projection's parts, which is
// then free; Transformers keeps it, as its value is a view of it: 2 H more a token and block.
#include <fmt/format.h>

#include "model/layers/attributes.hpp"
#include "model/network/import_parts.hpp"

namespace ooc {
namespace {

constexpr std::int64_t kMostBlocks = 100'000;

struct GptSizes {
  std::int64_t width = 1;
  std::int64_t layers = 1;
  std::int64_t vocabulary = 1;
  std::int64_t units = 1;
  AttentionForm attention;
  bool attention_bias = true;
  bool tied = false;
  bool has_head = true;
  Activation activation;
  double dropout = 0;     ///< of what branches add
  double rotary = 0;      ///< share of a head that is rotated
  bool parallel = false;  ///< both branches read what enters the block
};

/// Of the tables behind the blocks' own matrices: (4 H^2 + 2 H F) each.
Wide matrices_of(const GptSizes& s) {
  return Wide(4) * s.width * s.width + Wide(2) * s.width * s.units;
}

Wide parameters_of(const GptSizes& s, std::int64_t positions) {
  Wide biases = Wide(s.units) + s.width;
  if (s.attention_bias) biases = biases + Wide(4) * s.width;
  const Wide block = matrices_of(s) + biases + Wide(4) * s.width;
  const std::int64_t tables = s.has_head && !s.tied ? 2 : 1;
  return (Wide(tables) * s.vocabulary + positions) * s.width + Wide(s.layers) * block +
         Wide(2) * s.width;
}

Wide macs_of(const ImportRequest& request, const GptSizes& s, std::int64_t steps) {
  const Wide head = s.has_head ? Wide(s.vocabulary) * s.width : Wide(0);
  return Wide(steps) * (Wide(s.layers) * matrices_of(s) + head) +
         Wide(2) * s.layers * s.width * attention_pairs(request, s.attention, steps);
}

void add_head(LayerList& layers, const ImportRequest& request, const GptSizes& sizes,
              std::string_view name, std::string_view embedding) {
  if (!sizes.has_head) return;
  add_language_head(layers, request,
                    {.name = std::string(name),
                     .vocabulary = sizes.vocabulary,
                     .tied_to = sizes.tied ? std::string(embedding) : ""});
}

LayerList gpt2_block(const ImportRequest& request, const GptSizes& sizes) {
  LayerList block;
  block.add("ln_1", "layer_norm");
  block.linear("attn.c_attn", 3 * sizes.width, true);
  add_attention(block, "attn.attention", request, sizes.attention);
  block.linear("attn.c_proj", sizes.width, true);
  block.dropout("attn.resid_dropout", sizes.dropout);
  block.residual("attn_residual", "@input");
  block.add("ln_2", "layer_norm");
  block.linear("mlp.c_fc", sizes.units, true);
  add_activation(block, "mlp.act", request, sizes.activation);
  block.linear("mlp.c_proj", sizes.width, true);
  block.dropout("mlp.dropout", sizes.dropout);
  block.residual("mlp_residual", "attn_residual");
  return block;
}

/// Query, key or value out of the packed projection, rotated if it is to be; the name of what comes out.
std::string add_part(LayerList& block, const ImportRequest& request, const GptSizes& sizes,
                     const std::string& name, std::int64_t index, bool rotates) {
  block.add(name, "slice")
      .with("axis", std::int64_t{1})
      .with("begin", index * sizes.width)
      .with("end", (index + 1) * sizes.width)
      .reads({"attention.query_key_value"});
  if (rotates && sizes.rotary > 0) {
    LayerSpec& turned = block.add(name + "_rotary", "rotary")
                            .with("heads", sizes.attention.heads)
                            .with("fraction", sizes.rotary);
    if (request.options.kernels != ImportKernels::kFused) turned.with("form", "eager");
  }
  return block.last();
}

LayerList gpt_neox_block(const ImportRequest& request, const GptSizes& sizes) {
  LayerList block;
  block.add("input_layernorm", "layer_norm");
  block.linear("attention.query_key_value", 3 * sizes.width, sizes.attention_bias);
  const std::string query = add_part(block, request, sizes, "attention.query", 0, true);
  const std::string key = add_part(block, request, sizes, "attention.key", 1, true);
  const std::string value = add_part(block, request, sizes, "attention.value", 2, false);
  add_attention(block, "attention.attention", request, sizes.attention).reads({query, key, value});
  block.linear("attention.dense", sizes.width, sizes.attention_bias);
  block.dropout("post_attention_dropout", sizes.dropout);
  const std::string attended = block.last();
  if (!sizes.parallel) block.residual("attention_residual", "@input");
  block.add("post_attention_layernorm", "layer_norm")
      .reads({sizes.parallel ? "@input" : "attention_residual"});
  block.linear("mlp.dense_h_to_4h", sizes.units, true);
  add_activation(block, "mlp.act", request, sizes.activation);
  block.linear("mlp.dense_4h_to_h", sizes.width, true);
  block.dropout("post_mlp_dropout", sizes.dropout);
  if (sizes.parallel) block.residual("branches", attended);
  block.residual("residual", sizes.parallel ? "@input" : "attention_residual");
  return block;
}

ImportedNetwork finished(const ImportRequest& request, const GptSizes& sizes, LayerList layers,
                         std::int64_t steps, std::int64_t positions) {
  return {.inputs = {{"input_ids", {text_node("seq")}}},
          .symbols = {{"seq", steps}},
          .layers = layers.take(),
          .parameters = parameters_of(sizes, positions),
          .forward_macs = macs_of(request, sizes, steps)};
}

}  // namespace

ImportedNetwork import_gpt2(const ImportRequest& request) {
  const CheckpointConfig& config = request.config;
  (void)config.head_width("n_head", "n_embd");
  GptSizes sizes{.width = config.size("n_embd"),
                 .layers = config.get("n_layer").as_integer(1, kMostBlocks),
                 .vocabulary = config.size("vocab_size"),
                 .units = 1,
                 .attention = {.heads = config.size("n_head"),
                               .kv_heads = config.size("n_head"),
                               .causal = true,
                               .dropout = config.dropout("attn_pdrop", 0.1)},
                 .tied = config.flag("tie_word_embeddings", true),
                 .has_head = config.head({"LMHeadModel", "ForCausalLM", "Model"}) != "Model",
                 .activation = config.activation("activation_function", "gelu_new"),
                 .dropout = config.dropout("resid_pdrop", 0.1)};
  const auto inner = config.find("n_inner");
  const SpecView width = config.get("n_embd");
  if (!inner && sizes.width > kMaxSize / 4) width.fail(width.found(), "a smaller width");
  sizes.units = inner ? config.size("n_inner") : 4 * sizes.width;
  const std::int64_t positions = config.size("n_positions");
  const std::int64_t steps =
      sequence_length(request, "n_positions", Positions::kLearned, positions);

  LayerList layers;
  layers.add("transformer.wte", "embedding")
      .with("vocabulary", sizes.vocabulary)
      .with("width", sizes.width);
  layers.add("transformer.wpe", "embedding")
      .with("vocabulary", positions)
      .with("width", sizes.width)
      .with("positions", positions)
      .reads({"input_ids"});
  layers.add("embeddings", "add").reads({"transformer.wte", "transformer.wpe"});
  layers.dropout("transformer.drop", config.dropout("embd_pdrop", 0.1));
  layers.repeat("transformer.h", sizes.layers, gpt2_block(request, sizes));
  layers.add("transformer.ln_f", "layer_norm");
  add_head(layers, request, sizes, "lm_head", "transformer.wte");
  return finished(request, sizes, std::move(layers), steps, positions);
}

ImportedNetwork import_gpt_neox(const ImportRequest& request) {
  const CheckpointConfig& config = request.config;
  (void)config.head_width("num_attention_heads", "hidden_size");
  const std::int64_t heads = config.size("num_attention_heads");
  const GptSizes sizes{
      .width = config.size("hidden_size"),
      .layers = config.get("num_hidden_layers").as_integer(1, kMostBlocks),
      .vocabulary = config.size("vocab_size"),
      .units = config.size("intermediate_size"),
      .attention = {.heads = heads,
                    .kv_heads = heads,
                    .causal = true,
                    .dropout = config.dropout("attention_dropout", 0)},
      .attention_bias = config.flag("attention_bias", true),
      .tied = config.flag("tie_word_embeddings", false),
      .has_head = config.head({"ForCausalLM", "Model"}) != "Model",
      .activation = config.activation("hidden_act", "gelu"),
      .dropout = config.dropout("hidden_dropout", 0),
      .rotary = config.share("rotary_pct", config.share("partial_rotary_factor", 0.25)),
      .parallel = config.flag("use_parallel_residual", true)};
  const std::int64_t steps = sequence_length(request, "max_position_embeddings", Positions::kRotary,
                                             config.size("max_position_embeddings"));
  LayerList layers;
  layers.add("gpt_neox.embed_in", "embedding")
      .with("vocabulary", sizes.vocabulary)
      .with("width", sizes.width);
  layers.dropout("gpt_neox.emb_dropout", sizes.dropout);
  layers.repeat("gpt_neox.layers", sizes.layers, gpt_neox_block(request, sizes));
  layers.add("gpt_neox.final_layer_norm", "layer_norm");
  add_head(layers, request, sizes, "embed_out", "gpt_neox.embed_in");
  return finished(request, sizes, std::move(layers), steps, 0);
}

}  // namespace ooc
