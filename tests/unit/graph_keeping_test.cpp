// What a framework keeps for backward, one field after the other, on networks small enough to add up by hand
// (model/graph/keeping.hpp).
#include "model/graph/build_training_graph.hpp"
#include "model/graph/training_graph.hpp"
#include "model/network/network_json.hpp"
#include "tests/support/test.hpp"
#include "tests/support/tiny_specs.hpp"

using namespace ooc;

namespace {

struct Built {
  Network network;
  TrainingGraph graph;
};

/// On the heap: the graph points into the network.
std::unique_ptr<const Built> build(const std::string& layers, const Keeping& keeping) {
  auto built = std::make_unique<Built>();
  built->network = read_network_text(tiny::network(layers), "tiny");
  built->graph = build_training_graph(built->network, {.keeping = keeping});
  return built;
}

std::int64_t saved(const std::string& layers, const Keeping& keeping) {
  return saved_bytes_per_sample(build(layers, keeping)->graph);
}

std::vector<std::string> tensors_named(const TrainingGraph& graph, std::string_view word) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    std::string name = tensor_name(graph, make_id<TensorId>(i));
    if (has(name, word)) names.push_back(std::move(name));
  }
  return names;
}

// Bytes per sample: data 2x4x4 floats = 128, conv 3x4x4 = 192, pools 3x2x2 = 48.
const std::string kKeepingConv =
    R"({"name": "conv", "type": "conv", "filters": 3, "kernel": [3, 3], "padding": [1, 1]},)";
const std::string kTail =
    R"({"name": "flat", "type": "flatten"}, {"name": "tail", "type": "linear", "units": 2},
  {"name": "loss", "type": "softmax_cross_entropy"})";
// What the tail adds: its input, 8 bytes of probabilities.
constexpr std::int64_t kLoss = 8;

std::string keeping_with(const std::string& layer) { return kKeepingConv + layer + "," + kTail; }

}  // namespace

TEST_CASE("slice_saves: what was taken, or all that it was taken from") {
  const std::string net =
      keeping_with(R"({"name": "half", "type": "slice", "axis": 0, "begin": 0, "end": 1})");
  CHECK(saved(net, {}) == 128 + 64 + kLoss);
  CHECK(saved(net, {.slices = KeptOfSlices::kWhole}) == 128 + 192 + kLoss);
}

TEST_CASE("activation_saves: output, input of a relu out of place, or both") {
  const std::string net = keeping_with(R"({"name": "bn", "type": "batch_norm"},
    {"name": "relu", "type": "relu", "in_place": false})");
  // data, conv (batch norm reads it), relu's output (which tail reads, too), loss.
  CHECK(saved(net, {}) == 128 + 192 + 192 + kLoss);
  // And batch norm's output; tail still wants relu's.
  CHECK(saved(net, {.activations = KeptActivation::kInput}) == 128 + 192 + 192 + 192 + kLoss);
  CHECK(saved(net, {.activations = KeptActivation::kBoth}) == 128 + 192 + 192 + 192 + kLoss);
  // Where nobody else wants the output, the input stands in for it.
  const std::string pooled = keeping_with(R"({"name": "relu", "type": "relu", "in_place": false},
    {"name": "pool", "type": "avg_pool", "kernel": [2, 2]})");
  CHECK(saved(pooled, {}) == 128 + 192 + 48 + kLoss);
  CHECK(saved(pooled, {.activations = KeptActivation::kInput}) == 128 + 192 + 48 + kLoss);
  CHECK(saved(pooled, {.activations = KeptActivation::kBoth}) == 128 + 2 * 192 + 48 + kLoss);
  // sigmoid's and tanh's derivatives are written of their output; input is about relu.
  const std::string sigmoid = keeping_with(R"({"name": "act", "type": "sigmoid"})");
  CHECK(saved(sigmoid, {.activations = KeptActivation::kInput}) == saved(sigmoid, {}));
  CHECK(saved(sigmoid, {.activations = KeptActivation::kBoth}) == saved(sigmoid, {}) + 192);
}

TEST_CASE("activation_saves: in place input and output are one") {
  const std::string net = keeping_with(R"({"name": "relu", "type": "relu"})");
  for (const KeptActivation kept :
       {KeptActivation::kOutput, KeptActivation::kInput, KeptActivation::kBoth}) {
    CHECK(saved(net, {.activations = kept}) == 128 + 192 + kLoss);
  }
}

TEST_CASE("activation_in_place: always, when_possible, never") {
  const std::string tanh = keeping_with(R"({"name": "bn", "type": "batch_norm"},
    {"name": "act", "type": "tanh"})");
  const auto outputs = [](const std::string& net, InPlaceRule rule) {
    const auto built = build(net, {.in_place = rule});
    return std::count_if(
        built->graph.tensors.begin(), built->graph.tensors.end(),
        [](const Tensor& tensor) { return tensor.role == TensorRole::kActivation; });
  };
  CHECK(outputs(tanh, InPlaceRule::kAlways) == 4);  // conv, bn with act, tail, loss
  CHECK(outputs(tanh, InPlaceRule::kWhenPossible) == 5);
  CHECK(outputs(tanh, InPlaceRule::kNever) == 5);
  const std::string relu = keeping_with(R"({"name": "bn", "type": "batch_norm"},
    {"name": "act", "type": "relu"}, {"name": "drop", "type": "dropout", "rate": 0.5})");
  CHECK(outputs(relu, InPlaceRule::kWhenPossible) == 5);  // relu keeps what dropout would overwrite
  CHECK(outputs(relu, InPlaceRule::kNever) == 6);
  // What the file says goes before.
  const std::string asked = keeping_with(R"({"name": "bn", "type": "batch_norm"},
    {"name": "act", "type": "relu", "in_place": true})");
  CHECK(outputs(asked, InPlaceRule::kNever) == 4);
  const std::string refused = keeping_with(R"({"name": "bn", "type": "batch_norm"},
    {"name": "act", "type": "tanh", "in_place": false})");
  CHECK(outputs(refused, InPlaceRule::kAlways) == 5);
}

TEST_CASE("pool_saves: indices of eight bytes for the output, and the input of average pools") {
  const Keeping indices{.pools = KeptOfPools::kInputAndIndices};
  const std::string max = keeping_with(R"({"name": "bn", "type": "batch_norm"},
    {"name": "pool", "type": "max_pool", "kernel": [2, 2]})");
  CHECK(saved(max, {}) == 128 + 192 + 192 + 48 + kLoss);
  CHECK(saved(max, indices) == 128 + 192 + 192 + 48 + 12 * 8 + kLoss);  // tail reads the output
  const std::string last = keeping_with(R"({"name": "bn", "type": "batch_norm"},
    {"name": "pool", "type": "max_pool", "kernel": [2, 2]}, {"name": "mean", "type": "global_avg_pool"})");
  CHECK(saved(last, {}) == 128 + 192 + 192 + 48 + 12 + kLoss);
  CHECK(saved(last, indices) == 128 + 192 + 192 + 48 + 12 * 8 + 12 + kLoss);  // mean's input
  CHECK(tensors_named(build(max, indices)->graph, "reserve") ==
        std::vector<std::string>{"pool.reserve"});
}

TEST_CASE("dropout_mask: bytes of an element") {
  const std::string net = keeping_with(R"({"name": "drop", "type": "dropout", "rate": 0.5})");
  CHECK(saved(net, {.mask_bytes = 4}) - saved(net, {}) == 48 * 3);
}

TEST_CASE("norm_saves: two float32 a channel and batch, or a row and sample") {
  const Keeping statistics{.norms = KeptOfNorms::kInputAndStatistics};
  const std::string batch = keeping_with(R"({"name": "bn", "type": "batch_norm"})");
  CHECK(saved(batch, statistics) == saved(batch, {}));
  CHECK(saved_bytes_fixed(build(batch, statistics)->graph) == 3 * 2 * 4);
  CHECK(saved_bytes_fixed(build(batch, {})->graph) == 0);
  const std::string layer = keeping_with(R"({"name": "ln", "type": "layer_norm"})");
  CHECK(saved(layer, statistics) - saved(layer, {}) == 16 * 2 * 4);  // 4x4 positions
}

TEST_CASE("softmax_saves: its input besides, also of attention and of losses") {
  const Keeping both{.softmax = KeptOfSoftmax::kInputAndOutput};
  // The loss's logits, two floats; what softmax reads where nobody else keeps it.
  const std::string plain = keeping_with(R"({"name": "bn", "type": "batch_norm"})");
  CHECK(saved(plain, both) - saved(plain, {}) == kLoss);
  const std::string softmax = keeping_with(R"({"name": "bn", "type": "batch_norm"},
    {"name": "soft", "type": "softmax"})");
  CHECK(saved(softmax, both) - saved(softmax, {}) == 192 + kLoss);
  // Two heads over 16 x 16 pairs: scores beside weights.
  const std::string attention = R"({"name": "seq", "type": "reshape", "shape": [16, 2]},
    {"name": "qkv", "type": "linear", "units": 12},
    {"name": "att", "type": "attention", "heads": 2)";
  const std::string end = R"(}, {"name": "tail", "type": "linear", "units": 2},
    {"name": "loss", "type": "softmax_cross_entropy", "memory": "in_place"})";
  CHECK(saved(attention + end, both) - saved(attention + end, {}) == 2 * 16 * 16 * 4);
  const std::string flash = attention + R"(, "flash": true)" + end;
  CHECK(saved(flash, both) == saved(flash, {}));
  const std::string eager =
      plain.substr(0, plain.find(R"({"name": "loss")")) +
      R"({"name": "loss", "type": "softmax_cross_entropy", "memory": "eager"})";
  CHECK(saved(eager, both) - saved(eager, {}) == kLoss);
}

TEST_CASE("four_bit_saves: the input of a product with 4-bit weights, which nothing else keeps") {
  const Keeping input{.four_bit_inputs = true};
  const auto behind = [&](const char* storage) {
    return keeping_with(fmt::format(
        R"({{"name": "bn", "type": "batch_norm"}},
    {{"name": "even", "type": "flatten"}}, {{"name": "frozen", "type": "linear", "units": 3, "frozen": true, "storage": "{}"}})",
        storage));
  };
  CHECK(saved(behind("nf4"), input) - saved(behind("nf4"), {}) == 192);
  CHECK(saved(behind("bf16"), input) == saved(behind("bf16"), {}));
}

TEST_CASE("loss_dtype: what a loss keeps has a type of its own") {
  const std::string layers = keeping_with(R"({"name": "bn", "type": "batch_norm"})");
  std::string text = tiny::network(layers);
  text.insert(text.find("\"inputs\""), "\"dtype\": \"float16\", ");
  const Network half = read_network_text(text, "tiny");
  const auto bytes = [&](const Keeping& keeping) {
    return saved_bytes_per_sample(build_training_graph(half, {.keeping = keeping}));
  };
  CHECK(bytes({.loss_dtype = Dtype::kFloat32}) - bytes({}) == kLoss / 2);
  CHECK(saved(layers, {.loss_dtype = Dtype::kFloat32}) == saved(layers, {}));
}

namespace {

/// A sum of two branches behind `split`, each a convolution.
const std::string kBranches = R"(
  {"name": "split", "type": "conv", "filters": 2, "kernel": [1, 1]},
  {"name": "a", "type": "conv", "filters": 2, "kernel": [1, 1], "inputs": ["split"]},
  {"name": "b", "type": "conv", "filters": 2, "kernel": [1, 1], "inputs": ["split"]},
  {"name": "sum", "type": "add", "inputs": ["a", "b"]},
  {"name": "flat", "type": "flatten"}, {"name": "tail", "type": "linear", "units": 2},
  {"name": "loss", "type": "softmax_cross_entropy"})";

std::vector<std::string> task_names(const TrainingGraph& graph) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    names.push_back(task_name(graph, make_id<TaskId>(i)));
  }
  return names;
}

TaskId task_kept(const TrainingGraph& graph, std::string_view name) {
  const std::vector<std::string> names = task_names(graph);
  const auto found = std::find(names.begin(), names.end(), name);
  REQUIRE(found != names.end());
  return make_id<TaskId>(static_cast<std::size_t>(found - names.begin()));
}

bool keeping_has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

TEST_CASE("gradient_sharing: both branches read one buffer, which nobody writes") {
  const auto copied = build(kBranches, {});
  CHECK(keeping_has(task_names(copied->graph), "sum.backward"));
  const auto shared = build(kBranches, {.gradients = GradientSharing::kUntilWritten});
  CHECK_FALSE(keeping_has(task_names(shared->graph), "sum.backward"));
  const auto gradients = [](const TrainingGraph& graph) {
    return std::count_if(graph.tensors.begin(), graph.tensors.end(),
                         [](const Tensor& tensor) { return tensor.role == TensorRole::kGradient; });
  };
  CHECK(gradients(copied->graph) - gradients(shared->graph) == 1);
}

TEST_CASE("gradient_sharing: who overwrites it while another branch waits writes a new one") {
  // Backward runs b's relu first: in place it would overwrite the gradient that a still reads.
  const std::string net = R"(
    {"name": "split", "type": "conv", "filters": 2, "kernel": [1, 1]},
    {"name": "a", "type": "conv", "filters": 2, "kernel": [1, 1], "inputs": ["split"]},
    {"name": "b", "type": "conv", "filters": 2, "kernel": [1, 1], "inputs": ["split"]},
    {"name": "act", "type": "relu"},
    {"name": "sum", "type": "add", "inputs": ["a", "act"]},
    {"name": "flat", "type": "flatten"}, {"name": "tail", "type": "linear", "units": 2},
    {"name": "loss", "type": "softmax_cross_entropy"})";
  const auto built = build(net, {.gradients = GradientSharing::kUntilWritten});
  const TrainingGraph& graph = built->graph;
  const auto written = graph.writes[task_kept(graph, "act.backward")];
  REQUIRE(written.size() == 1);
  const auto read_by_a = graph.reads[task_kept(graph, "a.backward_data")];
  CHECK(std::find(read_by_a.begin(), read_by_a.end(), written.front()) == read_by_a.end());
  const auto read_by_b = graph.reads[task_kept(graph, "b.backward_data")];
  CHECK(std::find(read_by_b.begin(), read_by_b.end(), written.front()) != read_by_b.end());
}

TEST_CASE("gradient_sharing: nothing is added to a gradient that another branch still reads") {
  // x = f(y) + y: y's gradient is the sum's, to which f adds while its own backward reads it.
  const std::string net = R"(
    {"name": "y", "type": "conv", "filters": 2, "kernel": [1, 1]},
    {"name": "f", "type": "conv", "filters": 2, "kernel": [1, 1], "inputs": ["y"]},
    {"name": "x", "type": "add", "inputs": ["f", "y"]},
    {"name": "flat", "type": "flatten"}, {"name": "tail", "type": "linear", "units": 2},
    {"name": "loss", "type": "softmax_cross_entropy"})";
  const auto built = build(net, {.gradients = GradientSharing::kUntilWritten});
  const TrainingGraph& graph = built->graph;
  const TaskId task = task_kept(graph, "f.backward_data");
  REQUIRE(graph.writes[task].size() == 1);
  const TensorId target = graph.writes[task].front();
  const auto read = graph.reads[task];
  CHECK(std::find(read.begin(), read.end(), target) == read.end());
  // f's own weights still want the sum's gradient afterwards.
  const auto weights = graph.reads[make_id<TaskId>(task.at() + 1)];
  CHECK(std::find(weights.begin(), weights.end(), target) == weights.end());
}

TEST_CASE(
    "gradient_in_place: what ran in place writes the gradient of its input over its output's, or a "
    "new one") {
  const std::string net = keeping_with(R"({"name": "bn", "type": "batch_norm"},
    {"name": "relu", "type": "relu"})");
  const auto gradients = [&](const Keeping& keeping) {
    const auto built = build(net, keeping);
    const TrainingGraph& graph = built->graph;
    const TaskId task = task_kept(graph, "relu.backward");
    REQUIRE(graph.writes[task].size() == 1);
    const auto read = graph.reads[task];
    const bool over = std::find(read.begin(), read.end(), graph.writes[task].front()) != read.end();
    // Batch norm reads what relu wrote.
    const auto next = graph.reads[make_id<TaskId>(task.at() + 1)];
    CHECK(std::find(next.begin(), next.end(), graph.writes[task].front()) != next.end());
    return std::pair(over, live_bytes_per_sample(graph)[task.at()]);
  };
  const auto [over, least] = gradients({});
  CHECK(over);
  const auto [again, more] = gradients({.in_place_gradients = InPlaceGradients::kNever});
  CHECK_FALSE(again);
  CHECK(more - least == 192);
  // Out of place they are two anyway.
  const Keeping apart{.in_place = InPlaceRule::kNever};
  Keeping both = apart;
  both.in_place_gradients = InPlaceGradients::kNever;
  CHECK(gradients(apart) == gradients(both));
}
