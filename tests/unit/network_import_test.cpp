// Checkpoints' configs: lengths, kinds of layers, what is kept by kernels, and what is refused.
// validation/networks_test.cpp has the published counts.
#include "tests/support/shipped_families.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/network_support.hpp"

using namespace ooc;

namespace {

SpecNode config_of(const std::string& name) { return checkpoint(name).root; }

SpecDocument document_of(SpecNode config) {
  return {.file = "config.json", .root = std::move(config)};
}

Network network_of(const SpecNode& config, const NetworkOptions& options = {}) {
  return read_network_text(import_by_family(document_of(config), options), "imported.json");
}

/// With one key set to a JSON value, or taken out where there is none.
SpecNode import_with(SpecNode config, const std::string& key, const std::string& json) {
  std::erase_if(config.members, [&](const auto& member) { return member.first == key; });
  if (!json.empty()) config.members.emplace_back(key, read_spec_text(json, "value").root);
  return config;
}

std::string import_error(const SpecNode& config, const NetworkOptions& options = {}) {
  return message_of([&] { return import_by_family(document_of(config), options); });
}

}  // namespace

TEST_CASE("configs beside shipped networks are theirs") {
  for (const auto& entry :
       std::filesystem::directory_iterator(OOC_SOURCE_DIR "/networks/configs")) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    const Network shipped = read_network_file(OOC_SOURCE_DIR "/networks/" + name + ".json");
    const Network own = network_of(read_spec_file((entry.path() / "config.json").string()).root);
    CHECK(wiring(own) == wiring(shipped));
    CHECK(total_forward_macs(own) == total_forward_macs(shipped));
  }
}

TEST_CASE("a length is the positions', at most 4096, and no more than they are") {
  const SpecNode llama = config_of("llama-3-8b");
  CHECK(symbol_of(network_of(llama), "seq") == 4096);
  CHECK(symbol_of(network_of(import_with(llama, "max_position_embeddings", "1000")), "seq") ==
        1000);
  CHECK(symbol_of(network_of(import_with(llama, "max_position_embeddings", "")), "seq") == 4096);
  CHECK(symbol_of(network_of(llama, {.symbols = {{"seq", 8192}}}), "seq") == 8192);
  const std::string beyond = import_error(llama, {.symbols = {{"seq", 8193}}});
  CHECK(has(beyond, "/max_position_embeddings: found 8192 positions, expected at least 8193"));
  CHECK(has(beyond, "--allow-long"));
  CHECK(symbol_of(network_of(llama, {.symbols = {{"seq", 8193}}, .long_sequences = true}), "seq") ==
        8193);
  const std::string learned =
      import_error(config_of("gpt2"), {.symbols = {{"seq", 2048}}, .long_sequences = true});
  CHECK(has(learned, "/n_positions: found 1024 positions, expected at least 2048"));
  CHECK(has(learned, "they are learned"));
}

TEST_CASE("some layers of a mixture may have no experts") {
  const SpecNode qwen = import_with(config_of("qwen1.5-moe-a2.7b"), "num_hidden_layers", "4");
  const std::int64_t all = total_parameters(network_of(qwen));
  const std::int64_t mixture = 2048 * 60 + 60 * 3 * 2048 * 1408 + 3 * 2048 * 5632 + 2048;
  const std::int64_t dense = 3 * 2048 * 5632;
  const auto parameters = [&](const std::string& key, const std::string& value) {
    return total_parameters(network_of(import_with(qwen, key, value)));
  };
  CHECK(parameters("decoder_sparse_step", "2") == all - 2 * (mixture - dense));
  CHECK(parameters("mlp_only_layers", "[0]") == all - (mixture - dense));
  CHECK(parameters("mlp_only_layers", "[3, 1, 2, 0]") == all - 4 * (mixture - dense));
  CHECK(parameters("qkv_bias", "false") == all - 4 * 3 * 2048);
  const Network alternating = network_of(import_with(qwen, "decoder_sparse_step", "2"));
  CHECK(alternating.scaling.size() == 4);
  CHECK(alternating.scaling[1].name == "model.layers.1");
  CHECK(has(import_error(import_with(import_with(qwen, "decoder_sparse_step", "2"),
                                     "num_hidden_layers", "2001")),
            "/num_hidden_layers: found 2001"));
}

TEST_CASE("families that are not understood are refused by name") {
  const SpecNode llama = config_of("llama-3-8b");
  const std::string unknown = import_error(import_with(llama, "model_type", "\"lama\""));
  CHECK(
      has(unknown, "config.json: /model_type: found \"lama\", expected one of arcee, bart, beit"));
  CHECK(has(unknown, "did you mean llama or"));
}

TEST_CASE("keys that change the layers and are not understood are refused with their value") {
  struct Broken {
    std::string checkpoint;
    std::string key;
    std::string value;
    std::string found;
  };
  for (const Broken& each : std::vector<Broken>{
           Broken{"llama-3-8b", "quantization_config", R"({"bits": 4})", "found an object"},
           Broken{"llama-3-8b", "kv_lora_rank", "512", "found 512"},
           Broken{"llama-3-8b", "num_experts", "8", "found 8"},
           Broken{"mixtral-8x7b-v0.1", "num_local_experts", "", "no \"num_local_experts\""},
           Broken{"mixtral-8x7b-v0.1", "num_local_experts", "0", "found 0"},
           Broken{"mixtral-8x7b-v0.1", "num_experts_per_tok", "9",
                  "found 9, expected an integer from 1 to 8"},
           Broken{"qwen3-30b-a3b", "moe_intermediate_size", "", "no \"moe_intermediate_size\""},
           Broken{"qwen3-30b-a3b", "num_experts", "\"many\"", "found \"many\""},
           Broken{"qwen3-30b-a3b", "mlp_only_layers", "[48]", "found 48"},
           Broken{"qwen3-30b-a3b", "decoder_sparse_step", "0", "found 0"},
           Broken{"qwen1.5-moe-a2.7b", "shared_expert_intermediate_size", "-1", "found -1"},
           Broken{"llama-3-8b", "attention_multiplier", "0.0078", "found 0.0078"},
           Broken{"llama-3-8b", "num_key_value_heads", "5",
                  "found 5, expected a divisor of num_attention_heads, 32"},
           Broken{"llama-3-8b", "num_attention_heads", "40",
                  "found 40, expected a divisor of hidden_size, 4096"},
           Broken{"llama-3-8b", "hidden_act", "\"mish\"", "found \"mish\""},
           Broken{"llama-3-8b", "architectures", R"(["LlamaForTokenGuessing"])",
                  "found \"LlamaForTokenGuessing\""},
           Broken{"llama-3-8b", "hidden_size", "", "no \"hidden_size\""},
           Broken{"llama-3-8b", "hidden_size", "null", "found null"},
           Broken{"llama-3-8b", "hidden_size", "4096.5", "found 4096.5"},
           Broken{"llama-3-8b", "num_hidden_layers", "0", "found 0"},
           Broken{"llama-3-8b", "attention_dropout", "1.0", "found 1.0"},
           Broken{"qwen3-8b", "layer_types", R"(["full_attention", "linear_attention"])",
                  "found \"linear_attention\""},
           Broken{"gpt2", "add_cross_attention", "true", "found true"},
           Broken{"gpt2", "n_head", "7", "found 7, expected a divisor of n_embd, 768"},
           Broken{"gpt2", "architectures", R"(["GPT2DoubleHeadsModel"])",
                  "found \"GPT2DoubleHeadsModel\""},
           Broken{"bert-base-uncased", "position_embedding_type", "\"relative_key\"",
                  "found \"relative_key\""},
           Broken{"bert-base-uncased", "is_decoder", "true", "found true"},
           Broken{"t5-small", "feed_forward_proj", "\"gated-tanh\"", "found \"gated-tanh\""},
           Broken{"vit-base-patch16-224", "patch_size", "225", "found 225"},
       }) {
    CAPTURE(each.key);
    CAPTURE(each.value);
    const std::string error =
        import_error(import_with(config_of(each.checkpoint), each.key, each.value));
    CHECK(has(error, each.key));
    CHECK(has(error, each.found));
  }
}

TEST_CASE("windows are in the layers that the config says") {
  const SpecNode mistral = config_of("mistral-7b-v0.1");
  const auto macs = [](const SpecNode& config) {
    return total_forward_macs(network_of(config, {.symbols = {{"seq", 32768}}}));
  };
  // 32 layers, 2 x 32 x 128 products a pair: T (T + 1) / 2 pairs or W (W + 1) / 2 + (T - W) W.
  CHECK(macs(import_with(mistral, "sliding_window", "null")) - macs(mistral) ==
        32 * 8192 * (std::int64_t{32768} * 32769 / 2 - 4096 * 4097 / 2 - 28672L * 4096));
  const SpecNode qwen = import_with(config_of("qwen2-7b"), "sliding_window", "4096");
  CHECK(macs(qwen) == macs(import_with(qwen, "sliding_window", "")));
  const SpecNode used = import_with(qwen, "use_sliding_window", "true");
  CHECK(macs(used) < macs(qwen));
  CHECK(macs(import_with(used, "max_window_layers", "28")) == macs(qwen));
  // From layer 14 on, and the same by the types of the layers.
  CHECK(2 * (macs(qwen) - macs(import_with(used, "max_window_layers", "14"))) ==
        macs(qwen) - macs(used));
  std::string types = "[";
  for (int i = 0; i < 28; ++i) {
    types += i % 2 == 0 ? R"("full_attention", )" : R"("sliding_attention", )";
  }
  types.replace(types.size() - 2, 2, "]");
  const SpecNode alternating = import_with(used, "layer_types", types);
  CHECK(2 * (macs(qwen) - macs(alternating)) == macs(qwen) - macs(used));
  CHECK(network_of(alternating).scaling.size() == 28);
  CHECK(has(import_error(import_with(used, "layer_types", R"(["sliding_attention"])")),
            "/layer_types: found a list of 1, expected at least 2"));
  CHECK(has(import_error(import_with(qwen, "layer_types", types)),
            "/layer_types: found a list of 28, expected \"full_attention\" in all layers"));
}

TEST_CASE("names are the checkpoint's, the file's or its folder's") {
  SpecDocument config = document_of(config_of("gpt2"));
  const auto name = [&](const std::string& file, const NetworkOptions& options = {}) {
    config.file = file;
    return read_network_text(import_by_family(config, options), "x").name;
  };
  CHECK(name("models/gpt2-small/config.json") == "gpt2-small");
  CHECK(name("models/my_gpt.json") == "my_gpt");
  CHECK(name("-") == "gpt2");
  CHECK(name("-", {.name = "other"}) == "other");
  const Network network = network_of(config_of("gpt2"));
  CHECK(network.batch == 1);
  CHECK(network.scaling.size() == 1);
  CHECK(network.scaling.front().name == "transformer.h");
}

TEST_CASE("only objects with a model_type and no format are configs") {
  CHECK(is_checkpoint_config(document_of(config_of("gpt2"))));
  CHECK_FALSE(is_checkpoint_config(read_spec_text(network_text("[]"), "x")));
  CHECK_FALSE(is_checkpoint_config(read_spec_text("[1]", "x")));
}
