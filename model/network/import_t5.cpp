// t5: an encoder and a decoder over one embedding, RMS norms, attention without scaling whose scores get a
// learned bias by distance, one table for each of the two stacks. The bias is why attention is never flash.
//
// The first block of a stack owns its table; the others share it, and so are a repeat of their own, whose
// copies are called encoder.block/0 (the second block) and so on.
#include <fmt/format.h>

#include "model/layers/attributes.hpp"
#include "model/network/import_parts.hpp"

namespace ooc {
namespace {

struct T5Sizes {
  std::int64_t width = 1;
  std::int64_t encoder = 1;  ///< blocks
  std::int64_t decoder = 1;
  std::int64_t units = 1;
  std::int64_t heads = 1;
  std::int64_t inner = 1;  ///< width of all heads
  std::int64_t buckets = 1;
  std::int64_t vocabulary = 1;
  double dropout = 0;
  bool gated = false;
  Activation activation;
  bool tied = true;
};

T5Sizes read_t5(const CheckpointConfig& config) {
  constexpr std::int64_t kMost = 100'000;
  T5Sizes sizes;
  sizes.width = config.size("d_model");
  sizes.encoder = config.get("num_layers").as_integer(1, kMost);
  sizes.decoder = config.find("num_decoder_layers")
                      ? config.get("num_decoder_layers").as_integer(1, kMost)
                      : sizes.encoder;
  sizes.units = config.size("d_ff");
  sizes.heads = config.size("num_heads");
  const std::int64_t head = config.size("d_kv", 64);
  if (Wide(head) * sizes.heads > Wide(kMaxSize)) {
    const SpecView heads = config.get("num_heads");
    heads.fail(heads.found(), fmt::format("fewer heads of {}", head));
  }
  sizes.inner = head * sizes.heads;
  sizes.buckets = config.size("relative_attention_num_buckets", 32);
  sizes.vocabulary = config.size("vocab_size");
  sizes.dropout = config.dropout("dropout_rate", 0.1);
  sizes.tied = config.flag("tie_word_embeddings", true);
  (void)config.head({"ForConditionalGeneration", "WithLMHeadModel"});
  struct Known {
    std::string_view projection;
    bool gated;
    std::string_view activation;
    std::string_view form = {};
  };
  static constexpr Known kKnown[] = {{"relu", false, "relu"},
                                     {"gelu", false, "gelu"},
                                     {"gated-gelu", true, "gelu", "gelu_new"},
                                     {"gated-silu", true, "silu"},
                                     {"gated-relu", true, "relu"}};
  const std::string projection = config.text("feed_forward_proj", "relu");
  std::vector<std::string> words;
  for (const Known& each : kKnown) {
    words.emplace_back(each.projection);
    if (each.projection != projection) continue;
    sizes.gated = each.gated;
    sizes.activation = {std::string(each.activation), std::string(each.form)};
    return sizes;
  }
  (void)config.get("feed_forward_proj").as_choice(words);  // throws: it is none of them
  return sizes;
}

/// The layers of one block: of the first one of a stack, which stands by itself and owns the table of biases,
/// or of the others, which are copies of each other.
class T5Block {
 public:
  T5Block(const ImportRequest& request, const T5Sizes& sizes, const std::string& stack)
      : request_(request), sizes_(sizes), stack_(stack), first_(stack + ".block.0.") {}

  void add_first(LayerList& layers) {
    const std::string entering = layers.last();  // what comes last changes
    add(layers, first_, entering);
  }
  void add_others(LayerList& layers, std::int64_t blocks) {
    if (blocks == 1) return;
    LayerList block;
    add(block, "", "@input");
    layers.repeat(stack_ + ".block", blocks - 1, std::move(block));
  }

 private:
  [[nodiscard]] bool is_decoder() const { return stack_ == "decoder"; }

  void add(LayerList& block, const std::string& prefix, const std::string& entering) {
    prefix_ = prefix;
    norm(block, "SelfAttention", entering);
    const std::string normed = block.last();
    LayerSpec& self = attend(block, "SelfAttention", normed);
    SpecNode table;
    table.type = SpecType::kObject;
    table.members.emplace_back("buckets", integer_node(sizes_.buckets));
    table.members.emplace_back("heads", integer_node(sizes_.heads));
    self.with("bias_table", std::move(table));
    if (prefix.empty()) self.with("tied_to", first_ + "SelfAttention.attention");
    if (is_decoder()) self.with("causal", true);
    std::string residual = close(block, "SelfAttention", entering);
    if (is_decoder()) {
      norm(block, "EncDecAttention", residual);
      (void)attend(block, "EncDecAttention", "encoder.output");
      residual = close(block, "EncDecAttention", residual);
    }
    norm(block, "DenseReluDense", residual);
    add_mlp(block);
    add_sum(block, "DenseReluDense", residual);
  }

  void norm(LayerList& block, const std::string& part, const std::string& input) const {
    add_rms_norm(block, prefix_ + part + ".layer_norm", request_).reads({input});
  }

  /// Query of the layer before; key and value of `memory`.
  LayerSpec& attend(LayerList& block, const std::string& part, const std::string& memory) const {
    const std::string name = prefix_ + part;
    block.linear(name + ".q", sizes_.inner, false);
    block.linear(name + ".k", sizes_.inner, false).reads({memory});
    block.linear(name + ".v", sizes_.inner, false).reads({memory});
    LayerSpec& layer = block.add(name + ".attention", "attention")
                           .with("heads", sizes_.heads)
                           .with("softmax", "float32")
                           .reads({name + ".q", name + ".k", name + ".v"});
    return sizes_.dropout > 0 ? layer.with("dropout", sizes_.dropout) : layer;
  }

  std::string close(LayerList& block, const std::string& part, const std::string& other) const {
    block.linear(prefix_ + part + ".o", sizes_.width, false);
    add_sum(block, part, other);
    return block.last();
  }

  void add_sum(LayerList& block, const std::string& part, const std::string& other) const {
    block.dropout(prefix_ + part + ".output_dropout", sizes_.dropout);
    block.residual(prefix_ + part + ".residual", other);
  }

  void add_mlp(LayerList& block) const {
    const std::string name = prefix_ + "DenseReluDense.";
    if (sizes_.gated) {
      add_gated_mlp(block, request_,
                    {.gate = name + "wi_0",
                     .up = name + "wi_1",
                     .down = name + "wo",
                     .act = name + "act",
                     .product = name + "product",
                     .activation = sizes_.activation,
                     .units = sizes_.units,
                     .width = sizes_.width,
                     .dropout = sizes_.dropout});
      return;
    }
    block.linear(name + "wi", sizes_.units, false);
    add_activation(block, name + "act", request_, sizes_.activation);
    block.dropout(name + "dropout", sizes_.dropout);
    block.linear(name + "wo", sizes_.width, false);
  }

  const ImportRequest& request_;
  const T5Sizes& sizes_;
  std::string stack_;
  std::string first_;   ///< what the names of the first block begin with
  std::string prefix_;  ///< of the block at hand
};

/// From the embedded words to `<stack>.output`.
void add_stack(LayerList& layers, const ImportRequest& request, const T5Sizes& sizes,
               const std::string& stack, std::int64_t blocks) {
  layers.dropout(stack + ".dropout", sizes.dropout);
  T5Block block(request, sizes, stack);
  block.add_first(layers);
  block.add_others(layers, blocks);
  const bool drops = sizes.dropout > 0;
  add_rms_norm(layers, stack + (drops ? ".final_layer_norm" : ".output"), request);
  layers.dropout(stack + ".output", sizes.dropout);
}

Wide parameters_of_t5(const T5Sizes& s) {
  const Wide square = Wide(s.width) * s.inner;
  const Wide mlp = Wide(s.gated ? 3 : 2) * s.width * s.units;
  const Wide encoder = Wide(s.encoder) * (Wide(4) * square + mlp + Wide(2) * s.width);
  const Wide decoder = Wide(s.decoder) * (Wide(8) * square + mlp + Wide(3) * s.width);
  const Wide biases = Wide(2) * s.buckets * s.heads;
  return Wide(s.tied ? 1 : 2) * s.vocabulary * s.width + encoder + decoder + biases +
         Wide(2) * s.width;
}

Wide macs_of_t5(const T5Sizes& s, std::int64_t steps, std::int64_t target) {
  const Wide square = Wide(s.width) * s.inner;
  const Wide mlp = Wide(s.gated ? 3 : 2) * s.width * s.units;
  const Wide encoder = Wide(s.encoder) *
                       (Wide(steps) * (Wide(4) * square + mlp) + Wide(2) * s.inner * steps * steps);
  // Its own attention and the query and output of that to the encoder: 6 matrices; key and value: 2.
  const Wide decoder =
      Wide(s.decoder) * (Wide(target) * (Wide(6) * square + mlp) + Wide(steps) * 2 * square +
                         Wide(2) * s.inner * target * (Wide(target) + steps));
  return encoder + decoder + Wide(target) * s.vocabulary * s.width;
}

}  // namespace

ImportedNetwork import_t5(const ImportRequest& request) {
  const CheckpointConfig& config = request.config;
  const T5Sizes sizes = read_t5(config);
  // Relative positions end nowhere; what it was trained with is what is usual.
  const std::int64_t usual = config.size("n_positions", 512);
  const std::int64_t steps = request.options.seq.value_or(usual);
  const std::int64_t target = request.options.target_seq.value_or(steps);
  LayerList layers;
  layers.add("shared", "embedding")
      .with("vocabulary", sizes.vocabulary)
      .with("width", sizes.width)
      .reads({"input_ids"});
  add_stack(layers, request, sizes, "encoder", sizes.encoder);
  layers.add("decoder.embed_tokens", "embedding")
      .with("vocabulary", sizes.vocabulary)
      .with("width", sizes.width)
      .with("tied_to", "shared")
      .reads({"decoder_input_ids"});
  add_stack(layers, request, sizes, "decoder", sizes.decoder);
  add_language_head(
      layers, request,
      {.name = "lm_head", .vocabulary = sizes.vocabulary, .tied_to = sizes.tied ? "shared" : ""});
  return {.inputs = {{"input_ids", {text_node("seq")}},
                     {"decoder_input_ids", {text_node("target_seq")}}},
          .symbols = {{"seq", steps}, {"target_seq", target}},
          .layers = layers.take(),
          .parameters = parameters_of_t5(sizes),
          .forward_macs = macs_of_t5(sizes, steps, target)};
}

}  // namespace ooc
