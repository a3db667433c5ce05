// What a precision makes of a network: bytes of state and updates a parameter, what blocks keep for backward
// (sums by hand), copies of weights and when they live, and what it refuses.
#include "model/base/errors.hpp"
#include "model/cost/amounts.hpp"
#include "model/graph/build_training_graph.hpp"
#include "model/graph/training_graph.hpp"
#include "model/network/network_json.hpp"
#include "tests/support/test.hpp"
#include "tests/support/tiny_specs.hpp"

using namespace ooc;

namespace {

Network typed_read(const std::string& text, std::optional<Precision> precision,
                   std::optional<Dtype> dtype = {}) {
  return read_network_text(text, "tiny", {.dtype = dtype, .precision = precision});
}

/// 2,048 x 4 weights: one block of 8-bit Adam's scales holds 2,048 of them.
const std::string kTypedLinear =
    tiny::network(R"({"name": "fc", "type": "linear", "units": 4, "bias": false})", "[2048]");
constexpr std::int64_t kWeights = 8192;

struct State {
  Precision precision;
  std::int64_t bytes;   ///< a parameter, with adam
  std::int64_t update;  ///< bytes moved a parameter
};

std::int64_t update_bytes(const TrainingGraph& graph) {
  REQUIRE(graph.tasks.back().kind == TaskKind::kUpdate);
  const Amount amount = amount_of(graph, graph.tasks.back(), ComputeModel::kNative, 1);
  return static_cast<std::int64_t>(amount.bytes.value());
}

std::optional<TensorId> tensor_called(const TrainingGraph& graph, const std::string& name) {
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    if (tensor_name(graph, make_id<TensorId>(i)) == name) return make_id<TensorId>(i);
  }
  return std::nullopt;
}

const Tensor& need_tensor(const TrainingGraph& graph, const std::string& name) {
  const auto found = tensor_called(graph, name);
  REQUIRE_MESSAGE(found, "no tensor " << name);
  return graph.tensors[found->at()];
}

std::string task_at(const TrainingGraph& graph, std::optional<TaskId> task) {
  return task ? task_name(graph, *task) : "none";
}

/// Bytes that one block more saves, 64 wide, between words and a head.
std::int64_t kept_by_block(const std::string& block, const char* norm, const char* shape,
                           std::optional<Precision> precision) {
  std::int64_t kept[2] = {0, 0};
  for (const int more : {0, 1}) {
    const std::string layers = fmt::format(
        R"({{"name": "words", "type": "embedding", "vocabulary": 8, "width": 64}},
           {{"name": "blocks", "type": "repeat", "times": {}, "layers": [{}]}},
           {{"name": "norm", "type": "{}"}}, {{"name": "head", "type": "linear", "units": 8}})",
        2 + more, block, norm);
    const Network network = typed_read(tiny::network(layers, shape), precision);
    kept[more] = saved_bytes_per_sample(build_training_graph(network));
  }
  return kept[1] - kept[0];
}

/// Bytes a sample that one of Llama's blocks more keeps: 64 wide, 4 heads of 16, 2 of keys and values, a gated
/// MLP of 256, norms written out, at one token.
std::int64_t kept_by_llama(std::optional<Precision> precision) {
  const std::string block =
      R"({"name": "norm1", "type": "rms_norm", "form": "eager"},
         {"name": "q", "type": "linear", "units": 64, "bias": false, "inputs": ["norm1"]},
         {"name": "k", "type": "linear", "units": 32, "bias": false, "inputs": ["norm1"]},
         {"name": "v", "type": "linear", "units": 32, "bias": false, "inputs": ["norm1"]},
         {"name": "qr", "type": "rotary", "heads": 4, "inputs": ["q"]},
         {"name": "kr", "type": "rotary", "heads": 2, "inputs": ["k"]},
         {"name": "att", "type": "attention", "heads": 4, "kv_heads": 2, "flash": true, "causal": true,
          "inputs": ["qr", "kr", "v"]},
         {"name": "o", "type": "linear", "units": 64, "bias": false},
         {"name": "add1", "type": "add", "inputs": ["o", "@input"]},
         {"name": "norm2", "type": "rms_norm", "form": "eager"},
         {"name": "gate", "type": "linear", "units": 256, "bias": false, "inputs": ["norm2"]},
         {"name": "up", "type": "linear", "units": 256, "bias": false, "inputs": ["norm2"]},
         {"name": "act", "type": "silu", "inputs": ["gate"]},
         {"name": "product", "type": "multiply", "inputs": ["act", "up"]},
         {"name": "down", "type": "linear", "units": 64, "bias": false},
         {"name": "add2", "type": "add", "inputs": ["down", "add1"]})";
  return kept_by_block(block, "rms_norm", "[1]", precision);
}

/// The same of GPT: 64 wide, 4 heads, at 3 tokens.
std::int64_t kept_by_gpt(std::optional<Precision> precision) {
  const std::string block =
      R"({"name": "ln1", "type": "layer_norm"}, {"name": "qkv", "type": "linear", "units": 192},
         {"name": "att", "type": "attention", "heads": 4, "dropout": 0.1},
         {"name": "proj", "type": "linear", "units": 64}, {"name": "drop1", "type": "dropout", "rate": 0.1},
         {"name": "add1", "type": "add", "inputs": ["drop1", "@input"]},
         {"name": "ln2", "type": "layer_norm"}, {"name": "ff1", "type": "linear", "units": 256},
         {"name": "act", "type": "gelu"}, {"name": "ff2", "type": "linear", "units": 64},
         {"name": "drop2", "type": "dropout", "rate": 0.1},
         {"name": "add2", "type": "add", "inputs": ["drop2", "add1"]})";
  return kept_by_block(block, "layer_norm", "[3]", precision);
}

SpecError::Parts typed_error(const std::string& text, Precision precision,
                             std::optional<Dtype> dtype = {}) {
  return error_parts([&] { return typed_read(text, precision, dtype); });
}

}  // namespace

TEST_CASE("state and update of Adam have the bytes a parameter of docs/model.md") {
  // Weight, gradient, master copy, state; gradient, master or weight, state read, master, state, weight
  // written, in fp16 gradients read and written once more.
  for (const State& it : {State{Precision::kFp32, 16, 28}, State{Precision::kTf32, 16, 28},
                          State{Precision::kBf16, 16, 28}, State{Precision::kFp16, 16, 32},
                          State{Precision::kAmpBf16, 16, 28}, State{Precision::kAmpFp16, 16, 36},
                          State{Precision::kFsdpBf16, 16, 28}, State{Precision::kBf16Pure, 8, 14},
                          State{Precision::kFp8, 16, 28}}) {
    CAPTURE(precision_info(it.precision).name);
    const Network network = typed_read(kTypedLinear, it.precision);
    const TrainingGraph graph = build_training_graph(network, {.optimizer = Optimizer::kAdam});
    CHECK(static_bytes(graph) == it.bytes * kWeights);
    CHECK(update_bytes(graph) == it.update * kWeights);
  }
}

TEST_CASE("gradients in float32 beside 16-bit weights make 18 bytes, 30 of them moved") {
  const Network network = typed_read(kTypedLinear, Precision::kBf16);
  const TrainingGraph graph = build_training_graph(
      network, {.optimizer = Optimizer::kAdam, .types = {.gradient = Dtype::kFloat32}});
  CHECK(static_bytes(graph) == 18 * kWeights);
  CHECK(update_bytes(graph) == 30 * kWeights);
}

TEST_CASE("master copy and state have types of their own if they are said") {
  struct Row {
    Precision precision;
    ParameterTypes types;
    std::int64_t bytes;  // weight, gradient, master copy, two numbers of state
  };
  const std::optional<Dtype> none;
  for (const Row& it :
       {Row{Precision::kBf16, {.master = none}, 2 + 2 + 0 + 8},
        Row{Precision::kBf16,
            {.master = Dtype::kBfloat16, .state = Dtype::kBfloat16},
            2 + 2 + 2 + 4},
        Row{Precision::kFp8, {.state = Dtype::kBfloat16}, 2 + 2 + 4 + 4},
        Row{Precision::kBf16Pure, {.master = Dtype::kFloat32, .state = Dtype::kFloat32}, 16}}) {
    CAPTURE(it.bytes);
    const Network network = typed_read(kTypedLinear, it.precision);
    const TrainingGraph graph =
        build_training_graph(network, {.optimizer = Optimizer::kAdam, .types = it.types});
    CHECK(static_bytes(graph) == it.bytes * kWeights);
  }
}

TEST_CASE("weights in float32 take no master copy") {
  const Network network = typed_read(kTypedLinear, Precision::kAmpBf16);
  CHECK_THROWS_AS((void)build_training_graph(network, {.types = {.master = Dtype::kBfloat16}}),
                  SpecError);
}

TEST_CASE("optimisers keep what their papers say") {
  const Network network = typed_read(kTypedLinear, Precision::kFp32);
  const auto state = [&](Optimizer optimizer, const Network& of) {
    return build_training_graph(of, {.optimizer = optimizer}).optimizer_bytes;
  };
  CHECK(state(Optimizer::kSgd, network) == 0);
  CHECK(state(Optimizer::kMomentum, network) == 4 * kWeights);
  CHECK(state(Optimizer::kAdam8, network) == 2 * kWeights + 4 * 8);  // four blocks of two scales
  CHECK(state(Optimizer::kAdafactor, network) == 4 * (2048 + 4));    // rows and columns
  const Network pure = typed_read(kTypedLinear, Precision::kBf16Pure);
  CHECK(state(Optimizer::kMomentum, pure) == 2 * kWeights);
  CHECK(state(Optimizer::kAdam, pure) == 4 * kWeights);
}

TEST_CASE("Adafactor keeps a number of what is no matrix") {
  const Network network = typed_read(
      tiny::network(
          R"({"name": "fc", "type": "linear", "units": 4}, {"name": "ln", "type": "layer_norm"})",
          "[8]"),
      Precision::kFp32);
  const TrainingGraph graph = build_training_graph(network, {.optimizer = Optimizer::kAdafactor});
  CHECK(graph.optimizer_bytes == 4 * (8 + 4 + 4 + 8));  // rows, columns, bias, scales and offsets
}

TEST_CASE("a block of Llama keeps 54 s b h in 16 bits, 64 under autocast, 100 in float32") {
  // bf16: two norms 12, input of q, k, v 2, q and output 4, k and v half of that 2, input of gate and up 2, four
  // results of 4 h 32; beside, 2 x 4 bytes of rows and 4 of each head. autocast: the norms' float32
  // inputs and values 16, a copy of the input for each of five linear layers 10 instead of 4.
  constexpr std::int64_t kRows = 2 * 4 + 4 * 4;
  const auto numbers = [](Precision precision) { return kept_by_llama(precision) - kRows; };
  CHECK(numbers(Precision::kBf16) == 54 * 64);
  CHECK(numbers(Precision::kFp16) == 54 * 64);
  CHECK(numbers(Precision::kFsdpBf16) == 54 * 64);
  CHECK(numbers(Precision::kBf16Pure) == 54 * 64);
  CHECK(numbers(Precision::kAmpBf16) == 64 * 64);
  CHECK(numbers(Precision::kAmpFp16) == 64 * 64);
  CHECK(numbers(Precision::kFp32) == 100 * 64);
  CHECK(numbers(Precision::kTf32) == 100 * 64);
  // fp8: 12; a byte for each of seven linear layers, of which one has 4 h; q, k, v, output 6; three results 24.
  CHECK(numbers(Precision::kFp8) == (12 + 6 + 4 + 6 + 24) * 64);
}

TEST_CASE(
    "a block of GPT keeps s b h (34 + 5 a s / h) in 16 bits, (38 + 7 a s / h) under autocast") {
  // Under autocast both layer norms keep 4 bytes, softmax 4, a mask 1, and its copy for the product 2.
  constexpr std::int64_t kNumbers = 3 * 64;
  constexpr std::int64_t kScores = 4 * 3 * 3;
  CHECK(kept_by_gpt(Precision::kBf16) == 34 * kNumbers + 5 * kScores);
  CHECK(kept_by_gpt(Precision::kAmpBf16) == 38 * kNumbers + 7 * kScores);
  // In float32 all but the two masks twice: 2 x 32 + 2, and 4 + 4 + 1 of scores.
  CHECK(kept_by_gpt(Precision::kFp32) == 66 * kNumbers + 9 * kScores);
}

TEST_CASE("a residual block of convolutions is in 16 bits under autocast, batch norms too") {
  const std::string text = tiny::network(R"(
    {"name": "c1", "type": "conv", "filters": 4, "kernel": [3, 3], "padding": 1, "bias": false},
    {"name": "n1", "type": "batch_norm"}, {"name": "r1", "type": "relu"},
    {"name": "c2", "type": "conv", "filters": 4, "kernel": [3, 3], "padding": 1, "bias": false},
    {"name": "n2", "type": "batch_norm"}, {"name": "sum", "type": "add", "inputs": ["n2", "r1"]},
    {"name": "flat", "type": "flatten"}, {"name": "fc", "type": "linear", "units": 8},
    {"name": "soft", "type": "softmax"})");
  const Network network = typed_read(text, Precision::kAmpFp16);
  const TrainingGraph graph = build_training_graph(network);
  CHECK(need_tensor(graph, "data").bytes_per_sample == 4 * 32);
  CHECK(need_tensor(graph, "c1.reserve").bytes_per_sample == 2 * 32);  // the copy of the images
  CHECK_FALSE(is_saved(graph, *tensor_called(graph, "data")));
  for (const char* name : {"c1", "n1", "c2", "n2", "sum", "c2.grad"}) {
    CAPTURE(name);
    CHECK(need_tensor(graph, name).bytes_per_sample == 2 * 64);
  }
  CHECK_FALSE(tensor_called(graph, "c2.reserve"));
  CHECK(need_tensor(graph, "soft").bytes_per_sample == 4 * 8);
  CHECK(need_tensor(graph, "fc").bytes_per_sample == 2 * 8);
  CHECK(need_tensor(graph, "fc.cast").bytes_fixed == 2 * (8 * 64 + 8));
  CHECK_FALSE(tensor_called(graph, "n1.cast"));
}

TEST_CASE("a copy of weights lives to the end of forward, or to the layer's gradient of the data") {
  const Network network = typed_read(kTypedLinear, Precision::kAmpBf16);
  const TrainingGraph alone = build_training_graph(network);
  const TensorId first = *tensor_called(alone, "fc.cast");
  CHECK(task_at(alone, alone.lifetimes[first.at()].last_use) == "fc.forward");  // data wants none

  const Network two =
      typed_read(tiny::network(R"({"name": "a", "type": "linear", "units": 8, "bias": false},
                       {"name": "b", "type": "linear", "units": 4, "bias": false})",
                               "[8]"),
                 Precision::kAmpBf16);
  const TrainingGraph graph = build_training_graph(two);
  const TensorId copy = *tensor_called(graph, "b.cast");
  CHECK(graph.tensors[copy.at()].bytes_fixed == 2 * 32);
  CHECK(task_at(graph, graph.lifetimes[copy.at()].first_writer) == "b.forward");
  CHECK(task_at(graph, graph.lifetimes[copy.at()].last_use) == "b.backward_data");
  const auto cached = graph.lifetimes[tensor_called(graph, "a.cast")->at()].last_use;
  CHECK(task_at(graph, cached) == "b.forward");
  CHECK(saved_weight_copies(graph) == 2 * 32);
  CHECK(saved_bytes_fixed(graph) == 0);
}

TEST_CASE("FSDP has one copy of a block's weights, and makes it again for backward") {
  const Network network =
      typed_read(tiny::network(R"({"name": "blk", "type": "repeat", "times": 2, "layers": [
                         {"name": "a", "type": "linear", "units": 8, "bias": false},
                         {"name": "n", "type": "layer_norm"},
                         {"name": "b", "type": "linear", "units": 8, "bias": false}]})",
                               "[8]"),
                 Precision::kFsdpBf16);
  const TrainingGraph graph = build_training_graph(network);
  const auto span = [&](const std::string& name) {
    const Lifetime& life = graph.lifetimes[tensor_called(graph, name)->at()];
    return task_at(graph, life.first_writer) + " " + task_at(graph, life.last_use);
  };
  CHECK(need_tensor(graph, "blk/1/a.cast").bytes_fixed == 2 * (64 + 16 + 64));
  CHECK(span("blk/1/a.cast") == "blk/1/a.forward blk/1/b.forward");
  CHECK(need_tensor(graph, "blk/1/a.cast.restored").bytes_fixed == 2 * (64 + 16 + 64));
  CHECK(span("blk/1/a.cast.restored") == "blk/1/b.backward_data blk/1/a.backward_data");
  CHECK_FALSE(tensor_called(graph, "blk/1/b.cast"));
  CHECK(saved_weight_copies(graph) == 0);
}

TEST_CASE(
    "a sum of a wide and a narrow value is wide, and hands a narrow gradient back as a copy") {
  const Network network = typed_read(
      tiny::network(R"({"name": "words", "type": "embedding", "vocabulary": 8, "width": 4},
                       {"name": "fc", "type": "linear", "units": 4},
                       {"name": "sum", "type": "add", "inputs": ["fc", "words"]},
                       {"name": "soft", "type": "softmax_cross_entropy"})",
                    "[3]"),
      Precision::kAmpBf16);
  const TrainingGraph graph = build_training_graph(network);
  CHECK(need_tensor(graph, "data").bytes_per_sample == 8 * 3);
  CHECK(need_tensor(graph, "words").bytes_per_sample == 4 * 12);
  CHECK(need_tensor(graph, "sum").bytes_per_sample == 4 * 12);
  CHECK(need_tensor(graph, "fc.grad").bytes_per_sample == 2 * 12);
  CHECK(need_tensor(graph, "sum.grad").bytes_per_sample == 4 * 12);
}

TEST_CASE("a head that shares the embedding's weights multiplies with a copy of its own") {
  const Network network = typed_read(
      tiny::network(R"({"name": "words", "type": "embedding", "vocabulary": 8, "width": 4},
                       {"name": "head", "type": "linear", "units": 8, "bias": false, "tied_to": "words"},
                       {"name": "loss", "type": "softmax_cross_entropy"})",
                    "[3]"),
      Precision::kAmpFp16);
  const TrainingGraph graph = build_training_graph(network, {.optimizer = Optimizer::kAdafactor});
  CHECK(need_tensor(graph, "head.cast").bytes_fixed == 2 * 32);
  CHECK_FALSE(tensor_called(graph, "words.cast"));
  CHECK(graph.weight_bytes == 4 * 32);
  CHECK(graph.optimizer_bytes == 4 * (8 + 4));
}

TEST_CASE("a loss is PyTorch's own where a precision is set and the file does not say") {
  // 2 bytes of logits, 4 saved, 6 beside them while it runs: 12 a logit.
  const std::string layers = R"({"name": "fc", "type": "linear", "units": 8},
                                {"name": "loss", "type": "softmax_cross_entropy")";
  const Network network = typed_read(tiny::network(layers + "}", "[4]"), Precision::kBf16);
  const TrainingGraph graph = build_training_graph(network);
  CHECK(need_tensor(graph, "fc").bytes_per_sample == 2 * 8);
  CHECK(need_tensor(graph, "loss.reserve").bytes_per_sample == 4 * 8);
  const LayerModel& loss = *network.layers.back().model;
  CHECK(loss.work.forward.workspace_per_sample == 6 * 8);
  CHECK(loss.work.backward_data.workspace_per_sample == 6 * 8);
  const std::string stated = layers + R"(, "memory": "in_place"})";
  const Network in_place = typed_read(tiny::network(stated, "[4]"), Precision::kBf16);
  CHECK(in_place.layers.back().model->work.forward.workspace_per_sample == 0);
}

TEST_CASE("without a precision everything is as the file's type says") {
  const Network network = typed_read(kTypedLinear, std::nullopt, Dtype::kFloat16);
  const TrainingGraph graph = build_training_graph(network, {.optimizer = Optimizer::kAdam});
  CHECK(static_bytes(graph) == 12 * kWeights);
  CHECK(update_bytes(graph) == 22 * kWeights);
  CHECK_FALSE(network.layers.front().model->computes_in);
}

TEST_CASE("a type that is not the precision's is refused") {
  const SpecError::Parts flag = typed_error(kTypedLinear, Precision::kBf16, Dtype::kFloat16);
  CHECK(flag.place == "--dtype");
  CHECK(flag.found == "float16 beside --precision bf16");
  std::string half = kTypedLinear;
  half.replace(half.find("\"inputs\""), 0, R"("dtype": "float16", )");
  CHECK(typed_error(half, Precision::kAmpBf16).place == "/dtype");
  CHECK(typed_read(half, Precision::kAmpFp16).dtype == Dtype::kFloat16);
  // A file's float32 says nothing of how it is trained; a flag's does.
  CHECK(typed_read(kTypedLinear, Precision::kBf16).dtype == Dtype::kBfloat16);
  CHECK(typed_error(kTypedLinear, Precision::kBf16, Dtype::kFloat32).place == "--dtype");
  CHECK(typed_read(kTypedLinear, Precision::kAmpBf16, Dtype::kFloat32).dtype == Dtype::kBfloat16);
}
