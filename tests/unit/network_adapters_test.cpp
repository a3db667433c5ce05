// What is frozen, how it is kept, adapters beside it, and mixtures of experts: as files say it, and as --lora and
// --base do.
#include "tests/support/test.hpp"
#include "tests/unit/network_support.hpp"

using namespace ooc;

namespace {

/// 5 steps of 4 features, and these layers.
std::string sequence_text(const std::string& layers, const std::string& more = "") {
  return R"({"format": "ooc-paleo/network", "version": 1, "name": "adapted",
    "inputs": [{"name": "data", "shape": [5, 4]}], "layers": [)" +
         layers + "]" + more + "}";
}

Network sequence(const std::string& layers, const NetworkOptions& options = {}) {
  return read_network_text(sequence_text(layers), "adapted.json", options);
}

std::string sequence_error(const std::string& layers) { return file_error(sequence_text(layers)); }

const Layer& layer_of(const Network& network, const std::string& name) {
  for (const Layer& layer : network.layers) {
    if (layer.name == name) return layer;
  }
  FAIL("no layer " << name);
  return network.layers.front();
}

std::string adapter_error(const AdapterOptions& adapters) {
  return message_of([&] {
    return read_network_file(OOC_SOURCE_DIR "/networks/llama-3-8b.json", {.adapters = adapters});
  });
}

}  // namespace

TEST_CASE("adapters have the parameters that are published") {
  struct Published {
    std::string checkpoint;
    AdapterOptions adapters;
    std::int64_t parameters;
  };
  // litgpt's table of resources; PEFT's and Unsloth's own counts.
  for (const Published& each : std::vector<Published>{
           {"llama-2-7b", {.rank = 8, .targets = {"q", "v"}}, 4'194'304},
           {"llama-3-8b", {.rank = 8}, 20'971'520},
           {"llama-3-8b",
            {.rank = 16, .targets = {"q_proj", "k", "v", "o", "gate", "up", "down"}},
            41'943'040},
           {"llama-2-7b", {.rank = 16, .base = WeightStorage::kNf4}, 39'976'960}}) {
    CAPTURE(each.checkpoint);
    const std::string file = OOC_SOURCE_DIR "/networks/" + each.checkpoint + ".json";
    const Network plain = read_network_file(file);
    const Network adapted = read_network_file(file, {.adapters = each.adapters});
    CHECK(trainable_parameters(adapted) == each.parameters);
    CHECK(total_parameters(adapted) == total_parameters(plain) + each.parameters);
    CHECK(trainable_parameters(plain) == total_parameters(plain));
  }
}

TEST_CASE("a layer with adapters is a frozen one beside two that learn") {
  const Network network = sequence(
      R"({"name": "q", "type": "linear", "units": 6, "lora": {"rank": 2, "dropout": 0.1, "alpha": 16}})");
  CHECK(wiring(network) == std::vector<std::string>{"q/base: data", "q/drop: data", "q/a: q/drop",
                                                    "q/b: q/a", "q: q/base q/b"});
  CHECK(network.layers[0].model->is_frozen);
  CHECK(network.layers[0].kind->name == "linear");
  CHECK(network.layers[1].kind->name == "dropout");
  CHECK(network.layers[4].kind->name == "add");
  CHECK(total_parameters(network) == 30 + 8 + 12);
  CHECK(trainable_parameters(network) == 20);
  CHECK(total_forward_macs(network) == 5 * (24 + 8 + 12));
  REQUIRE(network.units.size() == 3);
  CHECK(network.units[0].is_frozen);
  CHECK_FALSE(network.units[1].is_frozen);
}

TEST_CASE("frozen weights keep the bytes of their storage, and are written out to be multiplied") {
  CHECK(stored_bytes(WeightStorage::kNf4, {.matrix = 1 << 20}) == (1 << 19) + (1 << 16));
  // 0.5 + 1/64 + 4/16384 bytes a weight.
  CHECK(stored_bytes(WeightStorage::kNf4Double, {.matrix = 1 << 20}) ==
        (1 << 19) + (1 << 14) + 256);
  CHECK(stored_bytes(WeightStorage::kNf4, {.matrix = 3}) == 2 + 4);
  CHECK(stored_bytes(WeightStorage::kInt8, {.matrix = 3, .others = 5}) == 3 + 10);
  CHECK(stored_bytes(WeightStorage::kFp32, {.matrix = 3, .others = 5}) == 32);
  const std::string linear = R"({"name": "q", "type": "linear", "units": 6, "frozen": true)";
  const NetworkOptions bf16{.precision = Precision::kBf16};
  const Network whole = sequence(linear + "}", bf16);
  const Network packed = sequence(linear + R"(, "storage": "int8"})", bf16);
  const TaskWork& before = whole.layers[0].model->work.forward;
  const TaskWork& after = packed.layers[0].model->work.forward;
  CHECK(after.workspace_fixed == 2 * 24);
  CHECK(before.workspace_fixed == 0);
  CHECK(after.bytes_fixed == before.bytes_fixed + 24 * (1 + 2));
  CHECK(packed.layers[0].model->casts.unpacking == 72);
  CHECK(packed.layers[0].model->work.backward_data.bytes_fixed ==
        whole.layers[0].model->work.backward_data.bytes_fixed + 72);
  // Kept in the type that it is multiplied in.
  const Network same = sequence(linear + R"(, "storage": "bf16"})", bf16);
  CHECK(same.layers[0].model->work.forward.bytes_fixed == before.bytes_fixed);
  // Autocast would copy float32 weights; weights in 16 bits are read as they are.
  const NetworkOptions amp{.precision = Precision::kAmpBf16};
  CHECK(sequence(linear + "}", amp).layers[0].model->casts.parameters > 0);
  CHECK(sequence(linear + R"(, "storage": "bf16"})", amp).layers[0].model->casts.parameters == 0);
}

TEST_CASE(
    "bitsandbytes launches kernels beside its products, and autocast leaves its result wide") {
  const auto model = [](const std::string& storage, Precision precision) {
    const std::string layer =
        R"({"name": "q", "type": "linear", "units": 6, "frozen": true, "storage": ")" + storage +
        "\"}";
    return *sequence(layer, {.precision = precision}).layers[0].model;
  };
  struct Beside {
    const char* storage;
    std::int64_t forward;
    std::int64_t backward;
  };
  for (const Beside& each : {Beside{"nf4", 1, 1}, {"nf4-double", 3, 3}, {"int8", 8, 3}}) {
    CAPTURE(each.storage);
    const LayerModel whole = model("bf16", Precision::kBf16);
    const LayerModel packed = model(each.storage, Precision::kBf16);
    CHECK(packed.launches.forward == whole.launches.forward + each.forward);
    CHECK(packed.launches.backward == whole.launches.backward + each.backward);
    // The data have 4 bytes: 5 steps of 6 results are read in 2 and written in 4, by a kernel each way.
    const LayerModel narrow = model("bf16", Precision::kAmpBf16);
    const LayerModel wide = model(each.storage, Precision::kAmpBf16);
    CHECK(narrow.output_bytes_per_element == 2);
    CHECK(wide.output_bytes_per_element == 4);
    CHECK(wide.casts.forward_per_sample == narrow.casts.forward_per_sample + 30 * (2 + 4));
    CHECK(wide.launches.forward == narrow.launches.forward + each.forward + 1);
    CHECK(wide.launches.backward == narrow.launches.backward + each.backward + 1);
  }
}

TEST_CASE("what frozen layers and adapters cannot be is refused") {
  const std::string linear = R"({"name": "q", "type": "linear", "units": 6)";
  CHECK(has(sequence_error(linear + R"(, "storage": "nf4"})"),
            "found \"nf4\", expected \"frozen\": true beside it"));
  CHECK(has(sequence_error(linear + R"(, "frozen": true, "storage": "nf8"})"), "\"nf8\""));
  CHECK(
      has(sequence_error(R"({"name": "n", "type": "rms_norm", "frozen": true, "storage": "nf4"})"),
          "expected \"bf16\" or \"fp32\", or a linear layer"));
  CHECK(has(sequence_error(linear + R"(, "lora": {"rank": 0}})"), "/lora/rank: found 0"));
  CHECK(has(sequence_error(linear + R"(, "lora": {"rank": 2, "dropout": 1}})"),
            "/lora/dropout: found 1"));
  CHECK(has(sequence_error(linear + R"(, "lora": {"rank": 2, "ranks": 1}})"), "ranks"));
  CHECK(has(sequence_error(linear + R"(, "lora": {"rank": 2, "dtype": "float32"}})"),
            "/lora/dtype: found \"float32\", expected a network with a precision"));
  CHECK(has(sequence_error(linear + R"(, "lora": {"rank": 2, "dtype": "float64"}})"), "bfloat16"));
  CHECK(has(sequence_error(
                R"({"name": "l", "type": "lstm", "units": 2, "frozen": true, "storage": "bf16"})"),
            "a layer that does not unroll into time steps"));
  const std::string table = R"({"format": "ooc-paleo/network", "version": 1, "name": "t",
    "inputs": [{"name": "data", "shape": [5]}], "layers": [
    {"name": "e", "type": "embedding", "vocabulary": 9, "width": 4, "frozen": true},
    {"name": "h", "type": "linear", "units": 9, "bias": false, "tied_to": "e")";
  CHECK(has(file_error(table + "}]}"), "which is frozen, expected both frozen or neither"));
  CHECK(file_error(table + R"(, "frozen": true}]})").empty());
  CHECK(has(file_error(table + R"(, "lora": {"rank": 1}}]})"), "found adapters"));
  CHECK(has(file_error(sequence_text(linear + "}", R"(, "expect": {"trainable_parameters": 29})")),
            "found 29, expected 30"));
}

TEST_CASE("--lora names layers by the end of their names, and says which there are") {
  const std::string error = adapter_error({.targets = {"q", "query"}});
  CHECK(has(error, "--lora: found \"query\""));
  CHECK(has(adapter_error({.targets = {"q_proj", "v", "q_proj"}}),
            "found \"q_proj\" where q_proj is named already, expected each layer once"));
  CHECK(has(adapter_error({.targets = {"q", "q_proj"}}), "\"q_proj\" where q_proj is named"));
  CHECK(has(error, "down_proj, gate_proj, k_proj, lm_head, o_proj, q_proj, up_proj, v_proj"));
  // The blocks' matrices in 4 bits, embedding, head and norms as the precision keeps weights.
  const NetworkOptions options{.adapters =
                                   AdapterOptions{.targets = {"v"}, .base = WeightStorage::kNf4}};
  const auto model_of = [&](const char* layer) {
    return *layer_of(read_network_file(OOC_SOURCE_DIR "/networks/llama-3-8b.json", options), layer)
                .model;
  };
  CHECK(model_of("model.layers/0/mlp.up_proj").storage == WeightStorage::kNf4);
  CHECK(model_of("model.layers/0/self_attn.v_proj/base").storage == WeightStorage::kNf4);
  CHECK_FALSE(model_of("lm_head").storage.has_value());
  CHECK_FALSE(model_of("model.embed_tokens").storage.has_value());
  CHECK(model_of("model.norm").is_frozen);
}

TEST_CASE("without blocks all linear layers but the last have adapters") {
  const Network network = sequence(
      R"({"name": "a", "type": "linear", "units": 6}, {"name": "b", "type": "linear", "units": 2})",
      {.adapters = AdapterOptions{.rank = 1}});
  CHECK(trainable_parameters(network) == 4 + 6);
  CHECK(layer_of(network, "b").model->is_frozen);
}

TEST_CASE("a mixture is a router, experts that work on their rows, and their sum") {
  const std::string moe = R"({"name": "m", "type": "moe", "experts": 8, "top_k": 2, "units": 3)";
  const Network network = sequence(moe + "}");
  CHECK(wiring(network) == std::vector<std::string>{
                               "m/router: data", "m/routes: m/router", "m/dispatch: data",
                               "m/gate: m/dispatch", "m/act: m/gate", "m/up: m/dispatch",
                               "m/product: m/act m/up", "m/down: m/product", "m: m/down m/routes"});
  CHECK(total_parameters(network) == 4 * 8 + 8 * 3 * 4 * 3);
  CHECK(active_parameters(network) == 4 * 8 + 2 * 3 * 4 * 3);
  CHECK(total_forward_macs(network) == 5 * (4 * 8 + 2 * 3 * 4 * 3));
  const auto shape = [&](const std::string& name) {
    return layer_of(network, name).model->output.text();
  };
  CHECK(shape("m/dispatch") == "10x4");
  CHECK(shape("m/gate") == "10x3");
  CHECK(shape("m") == "5x4");
  // Probabilities in float32, an index of 8 bytes and a weight of 4 for each expert.
  CHECK(layer_of(network, "m/routes").model->saves.reserve_bytes == 5 * (4 * 8 + 12 * 2));
  // 8 x ceil(1.25 x 10 / 8) rows with a capacity.
  const Network full = sequence(moe + R"(, "capacity": 1.25})");
  CHECK(layer_of(full, "m/dispatch").model->output.text() == "16x4");
  CHECK(layer_of(full, "m").model->output.text() == "5x4");
  const Network shared =
      sequence(moe + R"(, "shared_units": 6, "shared_gate": true, "form": "fused"})");
  CHECK(total_parameters(shared) == total_parameters(network) + 3 * 4 * 6 + 4);
  CHECK(active_parameters(shared) == active_parameters(network) + 3 * 4 * 6 + 4);
  CHECK(wiring(shared).back() == "m: m/combine m/shared/scaled");
  const Network adapted = sequence(moe + "}", {.adapters = AdapterOptions{.targets = {"m"}}});
  CHECK(trainable_parameters(adapted) == 8 * 3 * 8 * (4 + 3));
  const Network wide =
      sequence(moe + "}", {.precision = Precision::kBf16,
                           .adapters = AdapterOptions{.targets = {"m"}, .dtype = AdapterType{}}});
  CHECK(layer_of(wide, "m/gate/a").model->parameter_type == Dtype::kFloat32);
  CHECK_FALSE(layer_of(wide, "m/gate/base").model->parameter_type);
  CHECK(has(sequence_error(R"({"name": "m", "type": "moe", "experts": 2, "top_k": 3, "units": 3})"),
            "/top_k: found 3, expected at most 2"));
  CHECK(has(sequence_error(moe + R"(, "shared_gate": true})"), "/shared_gate: found true"));
  CHECK(has(sequence_error(moe + R"(, "capacity": 0})"), "/capacity: found 0"));
}

TEST_CASE("adapters under autocast are kept in float32 and multiplied in 16 bits") {
  const std::string q = R"({"name": "q", "type": "linear", "units": 3, "bias": false},
                             {"name": "head", "type": "linear", "units": 2})";
  const auto a_of = [&](AdapterType type, std::optional<WeightStorage> base) {
    return layer_of(
        sequence(q, {.precision = Precision::kBf16Pure,
                     .adapters = AdapterOptions{.targets = {"q"}, .dtype = type, .base = base}}),
        "q/a");
  };
  const auto model = a_of(kAdapterTypes[3], {}).model;
  CHECK(model->parameter_type == Dtype::kFloat32);
  CHECK(model->computes_in == Dtype::kBfloat16);
  CHECK(a_of({}, {}).model->computes_in == Dtype::kFloat32);
  CHECK(model->casts.parameters == model->parameters);  // a copy in 16 bits
  // Inputs of 5 x 4 numbers to 4 bytes and back to 2, which are kept.
  CHECK(model->casts.forward_per_sample == 20 * 12);
  CHECK(model->saves.reserve_bytes == 20 * 2);
  const auto beside_int8 = a_of(kAdapterTypes[3], WeightStorage::kInt8).model;
  CHECK(beside_int8->casts.forward_per_sample == 0);
  CHECK(beside_int8->saves.reserve_bytes == 0);
}

TEST_CASE("a device of several has its part of the experts, and rows go to them and come back") {
  const std::string moe = R"({"name": "m", "type": "moe", "experts": 8, "top_k": 2, "units": 3)";
  const Network network = sequence(moe + "}", {.expert_parallel = 4});
  CHECK(wiring(network) ==
        std::vector<std::string>{"m/router: data", "m/routes: m/router", "m/dispatch: data",
                                 "m/send: m/dispatch", "m/sort: m/send", "m/gate: m/sort",
                                 "m/act: m/gate", "m/up: m/sort", "m/product: m/act m/up",
                                 "m/down: m/product", "m/unsort: m/down", "m/back: m/unsort",
                                 "m: m/back m/routes"});
  // Two experts of eight; a token uses a quarter of what it uses of all.
  CHECK(total_parameters(network) == 4 * 8 + 2 * 3 * 4 * 3);
  CHECK(active_parameters(network) == 4 * 8 + 2 * 3 * 4 * 3 / 4);
  // As many rows come as go, so that the work is the same.
  CHECK(total_forward_macs(network) == total_forward_macs(sequence(moe + "}")));
  CHECK(layer_of(network, "m/gate").model->products->forward[0].count == 2);
  CHECK(layer_of(network, "m/gate").model->products->forward[0].n == 5);
  // Three quarters of 10 rows of 4 numbers in float32.
  for (const char* name : {"m/send", "m/back"}) {
    CHECK(layer_of(network, name).model->sent_bytes == 120);
    CHECK(layer_of(network, name).model->output.text() == "10x4");
  }
  // A device with one expert has nothing to sort.
  CHECK(wiring(sequence(moe + "}", {.expert_parallel = 8})).size() == 11);
  const Network adapted =
      sequence(moe + "}", {.adapters = AdapterOptions{.targets = {"m"}}, .expert_parallel = 4});
  CHECK(trainable_parameters(adapted) == 2 * 3 * 8 * (4 + 3));
  CHECK(wiring(sequence(moe + "}", {.expert_parallel = 1})) == wiring(sequence(moe + "}")));
  const auto error = [&](const std::string& layers, std::int64_t devices) {
    return message_of([&] { return sequence(layers, {.expert_parallel = devices}); });
  };
  CHECK(
      has(error(moe + "}", 3), "--expert-parallel: found 3, expected a divisor of the 8 experts"));
  CHECK(has(error(R"({"name": "a", "type": "linear", "units": 6})", 2), "mixtures of experts"));
}
