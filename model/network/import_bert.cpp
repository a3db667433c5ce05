// bert, roberta and vit: encoders. bert and roberta norm behind each residual and read three tables of
// embeddings; vit norms before each branch and reads patches of an image and a class token.
//
// Positions and token types are read by the numbers of the words, as gpt2's (import_gpt.cpp). roberta's
// first positions are behind its padding's number.
#include <fmt/format.h>

#include "model/layers/attributes.hpp"
#include "model/network/import_parts.hpp"

namespace ooc {
namespace {

struct EncoderSizes {
  std::int64_t width = 1;
  std::int64_t layers = 1;
  std::int64_t units = 1;
  AttentionForm attention;
  double dropout = 0;
  bool input_bias = true;
  Activation activation;
};

EncoderSizes read_encoder(const CheckpointConfig& config, double usual_dropout) {
  (void)config.head_width("num_attention_heads", "hidden_size");
  constexpr std::int64_t kMost = 100'000;
  EncoderSizes sizes;
  sizes.width = config.size("hidden_size");
  sizes.layers = config.get("num_hidden_layers").as_integer(1, kMost);
  sizes.units = config.size("intermediate_size");
  sizes.attention.heads = config.size("num_attention_heads");
  sizes.attention.kv_heads = sizes.attention.heads;
  sizes.attention.dropout = config.dropout("attention_probs_dropout_prob", usual_dropout);
  sizes.dropout = config.dropout("hidden_dropout_prob", usual_dropout);
  sizes.activation = config.activation("hidden_act", "gelu");
  return sizes;
}

Wide block_matrices(const EncoderSizes& s) {
  return Wide(4) * s.width * s.width + Wide(2) * s.width * s.units;
}

Wide block_parameters(const EncoderSizes& s) {
  const std::int64_t attention_biases = s.input_bias ? 4 : 1;
  const std::int64_t norms = 4;
  return block_matrices(s) + Wide(attention_biases + norms + 1) * s.width + s.units;
}

Wide block_macs(const EncoderSizes& s, std::int64_t steps) {
  return Wide(s.layers) * (Wide(steps) * block_matrices(s) + Wide(2) * s.width * steps * steps);
}

/// Query, key, value, attention and the projection behind it, with names below `prefix`.
void add_self_attention(LayerList& block, const ImportRequest& request, const EncoderSizes& sizes,
                        const std::string& prefix, std::string_view input) {
  for (const char* name : {"query", "key", "value"}) {
    block.linear(prefix + name, sizes.width, sizes.input_bias).reads({input});
  }
  add_attention(block, prefix + "attention", request, sizes.attention)
      .reads({prefix + "query", prefix + "key", prefix + "value"});
  block.linear("attention.output.dense", sizes.width, true);
  block.dropout("attention.output.dropout", sizes.dropout);
}

void add_mlp(LayerList& block, const ImportRequest& request, const EncoderSizes& sizes) {
  block.linear("intermediate.dense", sizes.units, true);
  add_activation(block, "intermediate.act", request, sizes.activation);
  block.linear("output.dense", sizes.width, true);
  block.dropout("output.dropout", sizes.dropout);
}

LayerList post_norm_block(const ImportRequest& request, const EncoderSizes& sizes) {
  LayerList block;
  add_self_attention(block, request, sizes, "attention.self.", "@input");
  block.residual("attention.residual", "@input");
  block.add("attention.output.LayerNorm", "layer_norm");
  add_mlp(block, request, sizes);
  block.residual("residual", "attention.output.LayerNorm");
  block.add("output.LayerNorm", "layer_norm");
  return block;
}

LayerList pre_norm_block(const ImportRequest& request, const EncoderSizes& sizes) {
  LayerList block;
  block.add("layernorm_before", "layer_norm");
  add_self_attention(block, request, sizes, "attention.attention.", "layernorm_before");
  block.residual("attention.residual", "@input");
  block.add("layernorm_after", "layer_norm");
  add_mlp(block, request, sizes);
  block.residual("residual", "attention.residual");
  return block;
}

SpecNode size_list(std::initializer_list<std::int64_t> sizes) {
  SpecNode node;
  node.type = SpecType::kList;
  for (const std::int64_t size : sizes) node.items.push_back(integer_node(size));
  return node;
}

/// The first step alone: [T, H] becomes [H].
void add_first_step(LayerList& layers, std::int64_t width) {
  layers.add("first_step", "slice")
      .with("axis", std::int64_t{0})
      .with("begin", std::int64_t{0})
      .with("end", std::int64_t{1});
  layers.add("first_token", "reshape").with("shape", size_list({width}));
}

// ---- bert, roberta

struct TextSizes {
  std::int64_t vocabulary = 1;
  std::int64_t positions = 1;
  std::int64_t types = 1;
  bool tied = true;
};

enum class TextHead { kPooler, kMasked, kLabels };

TextHead text_head(const CheckpointConfig& config) {
  const std::string head = config.head({"ForMaskedLM", "ForSequenceClassification", "Model"});
  if (head == "ForMaskedLM") return TextHead::kMasked;
  return head == "ForSequenceClassification" ? TextHead::kLabels : TextHead::kPooler;
}

/// Behind [T, H]; its own parameters and multiply-accumulates are added to `made`.
void add_text_head(LayerList& layers, const ImportRequest& request, const EncoderSizes& sizes,
                   const TextSizes& text, ImportedNetwork& made) {
  const Wide square = Wide(sizes.width) * sizes.width;
  const TextHead head = text_head(request.config);
  if (head == TextHead::kMasked) {
    const Wide table = Wide(text.vocabulary) * sizes.width;
    const Wide own = text.tied ? Wide(0) : table;
    made.parameters = made.parameters + square + Wide(3) * sizes.width + own + text.vocabulary;
    made.forward_macs = made.forward_macs + Wide(made.symbols.front().value) * (square + table);
    layers.linear("cls.transform.dense", sizes.width, true);
    add_activation(layers, "cls.transform.act", request, sizes.activation);
    layers.add("cls.transform.LayerNorm", "layer_norm");
    add_language_head(layers, request,
                      {.name = "cls.decoder",
                       .vocabulary = text.vocabulary,
                       .bias = true,
                       .tied_to = text.tied ? "embeddings.word_embeddings" : ""});
    return;
  }
  made.parameters = made.parameters + square + sizes.width;
  made.forward_macs = made.forward_macs + square;
  add_first_step(layers, sizes.width);
  layers.linear("pooler.dense", sizes.width, true);
  layers.add("pooler.act", "tanh");
  if (head == TextHead::kPooler) return;
  const std::int64_t labels = request.config.labels();
  made.parameters = made.parameters + (Wide(sizes.width) + 1) * labels;
  made.forward_macs = made.forward_macs + Wide(sizes.width) * labels;
  layers.dropout("classifier_dropout", request.config.dropout("classifier_dropout", sizes.dropout));
  layers.linear("classifier", labels, true);
  layers.add("loss", "softmax_cross_entropy");
}

void add_embeddings(LayerList& layers, const EncoderSizes& sizes, const TextSizes& text,
                    std::int64_t usable) {
  const auto table = [&](const char* name, std::int64_t rows) -> LayerSpec& {
    return layers.add(name, "embedding")
        .with("vocabulary", rows)
        .with("width", sizes.width)
        .reads({"input_ids"});
  };
  table("embeddings.word_embeddings", text.vocabulary);
  table("embeddings.position_embeddings", text.positions).with("positions", usable);
  table("embeddings.token_type_embeddings", text.types);
  layers.add("embeddings.sum", "add")
      .reads({"embeddings.word_embeddings", "embeddings.position_embeddings",
              "embeddings.token_type_embeddings"});
  layers.add("embeddings.LayerNorm", "layer_norm");
  layers.dropout("embeddings.dropout", sizes.dropout);
}

// ---- vit

struct ImageSizes {
  std::int64_t image = 1;
  std::int64_t patch = 1;
  std::int64_t channels = 3;
  std::int64_t side = 1;  ///< patches in a row
  [[nodiscard]] std::int64_t patches() const { return side * side; }
  [[nodiscard]] std::int64_t steps() const { return patches() + 1; }
};

ImageSizes read_image(const ImportRequest& request) {
  const CheckpointConfig& config = request.config;
  constexpr std::int64_t kMostPixels = 1'000'000;
  ImageSizes sizes{.image = config.get("image_size").as_integer(1, kMostPixels),
                   .patch = config.size("patch_size"),
                   .channels = config.size("num_channels", 3)};
  if (sizes.patch > sizes.image) {
    config.get("patch_size")
        .fail(fmt::format("{}", sizes.patch), fmt::format("at most image_size, {}", sizes.image));
  }
  sizes.side = sizes.image / sizes.patch;
  if (request.options.seq) {
    config.get("image_size")
        .fail(fmt::format("{0}: {1} x {1} patches and a class token", sizes.image, sizes.side),
              fmt::format("no --seq: the sequence is {} long", sizes.steps()));
  }
  return sizes;
}

/// A class token and the patches, each with its position.
void add_patches(LayerList& layers, std::int64_t width, const ImageSizes& image) {
  layers.add("embeddings.projection", "conv")
      .with("filters", width)
      .with("kernel", size_list({image.patch, image.patch}))
      .with("stride", size_list({image.patch, image.patch}));
  layers.add("embeddings.flat", "reshape").with("shape", size_list({width, image.patches()}));
  layers.add("embeddings.patches", "transpose").with("axes", size_list({1, 0}));
  layers.add("embeddings.cls_token", "parameter").with("shape", size_list({1, width}));
  layers.add("embeddings.tokens", "concat")
      .with("axis", std::int64_t{0})
      .reads({"embeddings.cls_token", "embeddings.patches"});
  layers.add("embeddings.position_embeddings", "parameter")
      .with("shape", size_list({image.steps(), width}));
  layers.add("embeddings.sum", "add")
      .reads({"embeddings.tokens", "embeddings.position_embeddings"});
}

}  // namespace

ImportedNetwork import_bert(const ImportRequest& request) {
  const CheckpointConfig& config = request.config;
  const EncoderSizes sizes = read_encoder(config, 0.1);
  const TextSizes text{.vocabulary = config.size("vocab_size"),
                       .positions = config.size("max_position_embeddings"),
                       .types = config.size("type_vocab_size", 2),
                       .tied = config.flag("tie_word_embeddings", true)};
  std::int64_t usable = text.positions;
  if (config.text("model_type", "") == "roberta") {
    const auto padding = config.find("pad_token_id");
    usable -= 1 + (padding ? padding->as_integer(0, kMaxSize) : 1);
    if (usable < 1) {
      config.get("max_position_embeddings")
          .fail(fmt::format("{}", text.positions), "more than those behind the padding's");
    }
  }
  const std::int64_t steps =
      sequence_length(request, "max_position_embeddings", Positions::kLearned, usable);
  LayerList layers;
  add_embeddings(layers, sizes, text, usable);
  layers.repeat("encoder.layer", sizes.layers, post_norm_block(request, sizes));
  ImportedNetwork made{
      .inputs = {{"input_ids", {text_node("seq")}}},
      .symbols = {{"seq", steps}},
      .layers = {},
      .parameters = (Wide(text.vocabulary) + text.positions + text.types + 2) * sizes.width +
                    Wide(sizes.layers) * block_parameters(sizes),
      .forward_macs = block_macs(sizes, steps)};
  add_text_head(layers, request, sizes, text, made);
  made.layers = layers.take();
  return made;
}

ImportedNetwork import_vit(const ImportRequest& request) {
  const CheckpointConfig& config = request.config;
  EncoderSizes sizes = read_encoder(config, 0);
  sizes.input_bias = config.flag("qkv_bias", true);
  const bool classifies = config.head({"ForImageClassification", "Model"}) != "Model";
  const ImageSizes image = read_image(request);
  LayerList layers;
  add_patches(layers, sizes.width, image);
  layers.dropout("embeddings.dropout", sizes.dropout);
  layers.repeat("encoder.layer", sizes.layers, pre_norm_block(request, sizes));
  layers.add("layernorm", "layer_norm");
  add_first_step(layers, sizes.width);
  const std::int64_t labels = classifies ? config.labels() : sizes.width;
  layers.linear(classifies ? "classifier" : "pooler.dense", labels, true);
  layers.add(classifies ? "loss" : "pooler.act", classifies ? "softmax_cross_entropy" : "tanh");
  const Wide patch_weights = Wide(image.channels) * image.patch * image.patch * sizes.width;
  // Beside the projection: its bias, the class token, positions and the last norm.
  const Wide vectors = Wide(1) + 1 + image.steps() + 2;
  return {.inputs = {{"pixel_values",
                      {integer_node(image.channels), integer_node(image.image),
                       integer_node(image.image)}}},
          .symbols = {},
          .layers = layers.take(),
          .parameters = patch_weights + vectors * sizes.width +
                        Wide(sizes.layers) * block_parameters(sizes) +
                        (Wide(sizes.width) + 1) * labels,
          .forward_macs = Wide(image.patches()) * patch_weights + block_macs(sizes, image.steps()) +
                          Wide(sizes.width) * labels};
}

}  // namespace ooc
