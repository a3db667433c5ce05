// What a block of a transformer keeps for backward, to the byte: the closed forms of the literature and
// of sums by hand, in 16 bits, as the difference between three blocks and two.
#include "model/graph/build_training_graph.hpp"
#include "model/graph/training_graph.hpp"
#include "model/network/network_json.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

namespace {

/// `blocks` of layers on [steps, width], which add to their input, and a loss.
std::string stack(const std::string& block, std::int64_t steps, std::int64_t width, int blocks) {
  return fmt::format(
      R"({{"format": "ooc-paleo/network", "version": 1, "name": "stack", "dtype": "bfloat16",
          "inputs": [{{"name": "data", "shape": [{0}, {1}]}}],
          "layers": [{{"name": "first", "type": "linear", "units": {1}}},
            {{"name": "blocks", "type": "repeat", "times": {2}, "layers": [{3}]}},
            {{"name": "last", "type": "linear", "units": 4}},
            {{"name": "loss", "type": "softmax_cross_entropy"}}]}})",
      steps, width, blocks, block);
}

struct Sizes {
  std::int64_t steps = 1;
  std::int64_t width = 1;
};

/// Bytes that each block more keeps; `without`: of none of the tensors with that ending.
std::int64_t kept_by_block(const std::string& block, const Sizes& sizes,
                           std::string_view without = "") {
  std::int64_t kept[2] = {0, 0};
  for (const int more : {0, 1}) {
    const Network network =
        read_network_text(stack(block, sizes.steps, sizes.width, 2 + more), "stack");
    const TrainingGraph graph = build_training_graph(network);
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
      const TensorId tensor = make_id<TensorId>(i);
      if (!is_saved(graph, tensor)) continue;
      if (!without.empty() && tensor_name(graph, tensor).ends_with(without)) continue;
      kept[more] += graph.tensors[i].bytes_per_sample;
    }
  }
  return kept[1] - kept[0];
}

/// A Llama's block: norms of a kind, key and value of `kv` heads of 128, a gated MLP of `mlp`.
struct Llama {
  std::string norm = R"("type": "rms_norm")";
  std::int64_t kv = 32;
  std::int64_t mlp = 11008;
  bool is_gated_in_one = false;
  std::string head_norm = {};  ///< of queries and keys
};
std::string block_of(const Llama& it) {
  const std::string middle =
      it.is_gated_in_one
          ? R"({"name": "product", "type": "gated", "activation": "silu", "inputs": ["gate", "up"]})"
          : R"({"name": "act", "type": "silu", "inputs": ["gate"]},
               {"name": "product", "type": "multiply", "inputs": ["act", "up"]})";
  const bool plain = it.head_norm.empty();
  const std::string head_norms =
      plain
          ? std::string()
          : fmt::format(
                R"({{"name": "qn", {0}, "inputs": ["q"]}}, {{"name": "kn", {0}, "inputs": ["k"]}},)",
                it.head_norm);
  return fmt::format(
      R"({{"name": "norm1", {0}}},
         {{"name": "q", "type": "linear", "units": 4096, "bias": false, "inputs": ["norm1"]}},
         {{"name": "k", "type": "linear", "units": {1}, "bias": false, "inputs": ["norm1"]}},
         {{"name": "v", "type": "linear", "units": {1}, "bias": false, "inputs": ["norm1"]}},
         {4}
         {{"name": "qr", "type": "rotary", "heads": 32, "inputs": ["{5}"]}},
         {{"name": "kr", "type": "rotary", "heads": {2}, "inputs": ["{6}"]}},
         {{"name": "att", "type": "attention", "heads": 32, "kv_heads": {2}, "flash": true, "causal": true,
           "inputs": ["qr", "kr", "v"]}},
         {{"name": "o", "type": "linear", "units": 4096, "bias": false}},
         {{"name": "add1", "type": "add", "inputs": ["o", "@input"]}},
         {{"name": "norm2", {0}}},
         {{"name": "gate", "type": "linear", "units": {3}, "bias": false, "inputs": ["norm2"]}},
         {{"name": "up", "type": "linear", "units": {3}, "bias": false, "inputs": ["norm2"]}},
         {7},
         {{"name": "down", "type": "linear", "units": 4096, "bias": false}},
         {{"name": "add2", "type": "add", "inputs": ["down", "add1"]}})",
      it.norm, it.kv * 128, it.kv, it.mlp, head_norms, plain ? "q" : "qn", plain ? "k" : "kn",
      middle);
}

constexpr Sizes kToken{.steps = 1, .width = 4096};

}  // namespace

TEST_CASE("a block of Llama-2-7B keeps 153,728 bytes a token, and 8 more for its norms' rows") {
  // 8 x 4096 (inputs and outputs of the norms, q, k, v, o) and 4 x 11008 numbers, 4 bytes a head.
  CHECK(kept_by_block(block_of({.norm = R"("type": "layer_norm")"}), kToken) == 153'728);
  CHECK(kept_by_block(block_of({}), kToken) == 153'736);
}

TEST_CASE("a block of Llama-3-8B keeps 168,072 bytes a token, 139,400 with a gated kernel") {
  // 6 x 4096, 2 x 1024 and 4 (3) x 14336 numbers, 4 bytes a head, 8 of the norms.
  CHECK(kept_by_block(block_of({.kv = 8, .mlp = 14336}), kToken) == 168'072);
  CHECK(kept_by_block(block_of({.kv = 8, .mlp = 14336, .is_gated_in_one = true}), kToken) ==
        139'400);
}

TEST_CASE("a block of Qwen3-8B with norms written out keeps 215,336 bytes a token") {
  // Norms 2 x (4 + 2) x 4096 and their outputs 2 x 2 x 4096; of queries and keys 6 x (4096 + 1024); turned q,
  // k and v 2 x (4096 + 2048); the attention's output and rows 2 x 4096 + 128; 8 x 12288; rows of norms
  // 2 x 4 + 4 x (32 + 8).
  const std::string eager = R"("type": "rms_norm", "form": "eager")";
  CHECK(
      kept_by_block(block_of({.norm = eager,
                              .kv = 8,
                              .mlp = 12288,
                              .head_norm = R"("type": "rms_norm", "width": 128, "form": "eager")"}),
                    kToken) == 215'336);
}

TEST_CASE(
    "a block of GPT keeps s b h (34 + 5 a s / h), without what lies in its attention 34 s b h") {
  // Korthikanti et al., arXiv:2205.05198, (2) and selective recomputation.
  const std::int64_t s = 128;
  const std::int64_t h = 256;
  const std::int64_t a = 8;
  const auto block = [](const std::string& attention) {
    return R"({"name": "ln1", "type": "layer_norm"},
      {"name": "qkv", "type": "linear", "units": 768},
      {"name": "att", "type": "attention", "heads": 8)" +
           attention + R"(},
      {"name": "proj", "type": "linear", "units": 256},
      {"name": "drop1", "type": "dropout", "rate": 0.1},
      {"name": "add1", "type": "add", "inputs": ["drop1", "@input"]},
      {"name": "ln2", "type": "layer_norm"},
      {"name": "ff1", "type": "linear", "units": 1024},
      {"name": "act", "type": "gelu"},
      {"name": "ff2", "type": "linear", "units": 256},
      {"name": "drop2", "type": "dropout", "rate": 0.1},
      {"name": "add2", "type": "add", "inputs": ["drop2", "add1"]})";
  };
  const Sizes sizes{.steps = s, .width = h};
  const std::string drops = block(R"(, "causal": true, "dropout": 0.1)");
  CHECK(kept_by_block(drops, sizes) == s * (34 * h + 5 * a * s));
  CHECK(kept_by_block(block(""), sizes) == s * (34 * h + 2 * a * s));
  // The weights and their copy are att.reserve, the mask att.mask: 4 and 1 bytes of a s s.
  CHECK(kept_by_block(drops, sizes, "att.reserve") == s * (34 * h + a * s));
  CHECK(kept_by_block(drops, sizes, "att.mask") == s * (34 * h + 4 * a * s));
  // A flash kernel keeps a number a row instead.
  CHECK(kept_by_block(block(R"(, "flash": true, "dropout": 0.1)"), sizes) == s * (34 * h + 4 * a));
}

TEST_CASE("repeated keys and values are kept once, in place of the keys' and values' own tensors") {
  const auto block = [](const std::string& repeats) {
    return R"({"name": "q", "type": "linear", "units": 8, "bias": false},
      {"name": "k", "type": "linear", "units": 4, "bias": false, "inputs": ["@input"]},
      {"name": "v", "type": "linear", "units": 4, "bias": false, "inputs": ["@input"]},
      {"name": "att", "type": "attention", "heads": 4, "kv_heads": 2, "inputs": ["q", "k", "v"])" +
           repeats + R"(},
      {"name": "o", "type": "linear", "units": 8})";
  };
  // Bytes a token of 5: input, q and o's input 2 x 8 each; repeated 2 x 2 x 8; P 2 x 4 x 5.
  CHECK(kept_by_block(block(""), {.steps = 5, .width = 8}) == 5 * (48 + 32 + 40));
  CHECK(kept_by_block(block(R"(, "repeat_kv": false)"), {.steps = 5, .width = 8}) ==
        5 * (48 + 16 + 40));
}

TEST_CASE(
    "tied weights have one gradient, from the head's to the embedding's task, and one update, the "
    "last") {
  const Network network = read_network_text(R"({"format": "ooc-paleo/network", "version": 1,
    "name": "tied", "inputs": [{"name": "words", "shape": [5]}], "layers": [
      {"name": "table", "type": "embedding", "vocabulary": 10, "width": 4},
      {"name": "mid", "type": "linear", "units": 4},
      {"name": "head", "type": "linear", "units": 10, "bias": false, "tied_to": "table"},
      {"name": "loss", "type": "softmax_cross_entropy"}]})",
                                            "tied.json");
  const TrainingGraph graph = build_training_graph(network);
  std::vector<std::string> tasks;
  for (std::size_t i = graph.forward_tasks; i < graph.tasks.size(); ++i) {
    tasks.push_back(task_name(graph, make_id<TaskId>(i)));
  }
  CHECK(tasks == std::vector<std::string>{"loss.backward", "head.backward_data",
                                          "head.backward_weights", "mid.backward_data",
                                          "mid.backward_weights", "table.backward_weights",
                                          "mid.update", "table.update"});
  CHECK(graph.weight_bytes == 4 * (40 + 20));
  CHECK(graph.gradient_bytes == graph.weight_bytes);
}

TEST_CASE("a tied layer has a backward pass where nothing before it learns") {
  const Network network = read_network_text(R"({"format": "ooc-paleo/network", "version": 1,
    "name": "tied", "inputs": [{"name": "a", "shape": [4]}, {"name": "b", "shape": [4]}], "layers": [
      {"name": "one", "type": "linear", "units": 3, "bias": false, "inputs": ["a"]},
      {"name": "two", "type": "linear", "units": 3, "bias": false, "tied_to": "one", "inputs": ["b"]},
      {"name": "join", "type": "add", "inputs": ["one", "two"]}]})",
                                            "tied.json");
  const TrainingGraph graph = build_training_graph(network);
  int weights = 0;
  for (const Task& task : graph.tasks) weights += task.kind == TaskKind::kBackwardWeights ? 1 : 0;
  CHECK(weights == 2);
}

TEST_CASE("a parameter is written for every sample, and its gradient is the batch's sum") {
  const Network network = read_network_text(R"({"format": "ooc-paleo/network", "version": 1,
    "name": "token", "inputs": [{"name": "data", "shape": [4, 6]}], "layers": [
      {"name": "patches", "type": "linear", "units": 3},
      {"name": "token", "type": "parameter", "shape": [1, 3]},
      {"name": "all", "type": "concat", "inputs": ["token", "patches"]},
      {"name": "last", "type": "linear", "units": 2}, {"name": "loss", "type": "softmax_cross_entropy"}]})",
                                            "token.json");
  const LayerModel& model = *network.layers[1].model;
  CHECK(model.parameters == 3);
  CHECK(model.work.forward.bytes_per_sample == 12);
  CHECK(model.work.forward.bytes_fixed == 12);
  CHECK(model.work.backward_weights.flops_per_sample == 3);
  CHECK(model.work.backward_weights.bytes_per_sample == 12);
  CHECK(model.work.backward_weights.bytes_fixed == 12);
  const TrainingGraph graph = build_training_graph(network);
  std::vector<std::string> tasks;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const TaskId task = make_id<TaskId>(i);
    if (graph.tasks[i].layer != LayerId{1}) continue;
    tasks.push_back(task_name(graph, task));
    CHECK(graph.reads[task].size() == (graph.tasks[i].kind == TaskKind::kBackwardWeights ? 1 : 0));
  }
  CHECK(tasks ==
        std::vector<std::string>{"token.forward", "token.backward_weights", "token.update"});
}

TEST_CASE(
    "the loss of Llama-3-8B at 8,192 tokens peaks at 12.6 GB as frameworks have it, 2.1 in place") {
  constexpr std::int64_t kLogits = std::int64_t{8192} * 128'256;
  static_assert(kLogits == 1'050'673'152);
  // Bytes per logit while the loss runs forward and backward, with the head's input, which stays.
  const auto peaks = [](const std::string& memory) {
    const Network network = read_network_text(R"({"format": "ooc-paleo/network", "version": 1,
      "name": "head", "dtype": "bfloat16", "inputs": [{"name": "data", "shape": [8192, 4096]}], "layers": [
        {"name": "down", "type": "linear", "units": 4096, "bias": false},
        {"name": "head", "type": "linear", "units": 128256, "bias": false},
        {"name": "loss", "type": "softmax_cross_entropy", "memory": ")" +
                                                  memory + R"("}]})",
                                              "head.json");
    const TrainingGraph graph = build_training_graph(network);
    const std::vector<std::int64_t> live = live_bytes_per_sample(graph);
    std::vector<std::int64_t> of_loss;
    for (std::size_t i = 0; i < graph.backward_end; ++i) {
      if (graph.tasks[i].layer != LayerId{2}) continue;
      const LayerWork& work = network.layers[2].model->work;
      const TaskWork& task = i < graph.forward_tasks ? work.forward : work.backward_data;
      of_loss.push_back(live[i] + task.workspace_per_sample);
    }
    return of_loss;
  };
  constexpr std::int64_t kOthers = std::int64_t{2} * 8192 * 4096 * 2;  // data and the head's input
  constexpr std::int64_t kNumber = 2;                                  // one number
  const auto bytes = [](std::int64_t each, std::int64_t rows) {
    return kOthers + each * kLogits + rows;
  };
  CHECK(peaks("native") == std::vector<std::int64_t>{bytes(6, kNumber), bytes(6, 0)});
  CHECK(peaks("eager") == std::vector<std::int64_t>{bytes(12, kNumber), bytes(12, 0)});
  CHECK(peaks("upcast") == std::vector<std::int64_t>{bytes(14, kNumber), bytes(16, 0)});
  constexpr std::int64_t kRows = std::int64_t{8192} * 8;
  CHECK(peaks("in_place") == std::vector<std::int64_t>{bytes(2, kRows + kNumber), bytes(2, kRows)});
}
