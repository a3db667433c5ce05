// Which tasks a network has, in which order, and what they read and write.
#include "model/base/errors.hpp"
#include "model/graph/build_training_graph.hpp"
#include "model/graph/training_graph.hpp"
#include "model/network/network_json.hpp"
#include "tests/support/test.hpp"
#include "tests/support/tiny_specs.hpp"

namespace ooc::test {
namespace {

std::vector<std::string> names_of_tasks(const TrainingGraph& graph) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i)
    names.push_back(task_name(graph, make_id<TaskId>(i)));
  return names;
}

std::vector<std::string> tensor_names(const TrainingGraph& graph,
                                      std::span<const TensorId> tensors) {
  std::vector<std::string> names;
  for (const TensorId tensor : tensors) names.push_back(tensor_name(graph, tensor));
  std::sort(names.begin(), names.end());
  return names;
}

TaskId task_named(const TrainingGraph& graph, const std::string& name) {
  const std::vector<std::string> names = names_of_tasks(graph);
  const auto it = std::find(names.begin(), names.end(), name);
  REQUIRE_MESSAGE(it != names.end(), name);
  return make_id<TaskId>(static_cast<std::size_t>(it - names.begin()));
}

using Names = std::vector<std::string>;

constexpr const char* kConvNet = R"(
  {"name": "conv", "type": "conv", "filters": 3, "kernel": [3, 3], "padding": [1, 1]},
  {"name": "relu", "type": "relu"},
  {"name": "flat", "type": "flatten"},
  {"name": "fc", "type": "linear", "units": 5},
  {"name": "loss", "type": "softmax_cross_entropy"})";

TEST_CASE(
    "tasks run forward, then backward reversed with data before weights, then updates in layer "
    "order") {
  const Network net = read_network_text(tiny::network(kConvNet), "tiny");
  const TrainingGraph graph = build_training_graph(net);
  // conv is fed by the data, so it has no backward-data task; flat is a view, so it has no task at
  // all.
  CHECK(names_of_tasks(graph) == Names{"conv.forward", "relu.forward", "fc.forward", "loss.forward",
                                       "loss.backward", "fc.backward_data", "fc.backward_weights",
                                       "relu.backward", "conv.backward_weights", "conv.update",
                                       "fc.update"});
  CHECK(graph.forward_tasks == 4);
  CHECK(graph.backward_end == 9);
}

TEST_CASE(
    "each task reads what its kind saves, and in-place layers share one tensor and one gradient") {
  const Network net = read_network_text(tiny::network(kConvNet), "tiny");
  const TrainingGraph graph = build_training_graph(net);
  const auto reads = [&](const char* task) {
    return tensor_names(graph, graph.reads[task_named(graph, task)]);
  };
  const auto writes = [&](const char* task) {
    return tensor_names(graph, graph.writes[task_named(graph, task)]);
  };
  CHECK(reads("conv.forward") == Names{"data"});
  CHECK(reads("relu.forward") == Names{"conv"});
  CHECK(writes("relu.forward") == Names{"conv"});
  CHECK(reads("fc.forward") == Names{"conv"});
  CHECK(reads("loss.backward") == Names{"loss"});
  CHECK(writes("loss.backward") == Names{"fc.grad"});
  CHECK(reads("fc.backward_data") == Names{"fc.grad"});
  CHECK(writes("fc.backward_data") == Names{"conv.grad"});
  CHECK(reads("fc.backward_weights") == Names{"conv", "fc.grad"});
  CHECK(reads("relu.backward") == Names{"conv", "conv.grad"});
  CHECK(writes("relu.backward") == Names{"conv.grad"});
  CHECK(reads("conv.backward_weights") == Names{"conv.grad", "data"});
  CHECK(writes("conv.backward_weights").empty());
}

TEST_CASE("an add hands its gradient to its first input and copies it for the second") {
  const Network net = read_network_text(tiny::network(R"(
    {"name": "a", "type": "conv", "filters": 2, "kernel": [1, 1]},
    {"name": "b", "type": "conv", "filters": 2, "kernel": [1, 1]},
    {"name": "sum", "type": "add", "inputs": ["b", "a"]},
    {"name": "c", "type": "conv", "filters": 2, "kernel": [1, 1]})"),
                                        "tiny");
  const TrainingGraph graph = build_training_graph(net);
  const TaskId add = task_named(graph, "sum.backward");
  CHECK(graph.tasks[add.at()].copies == 1);
  CHECK(tensor_names(graph, graph.reads[add]) == Names{"sum.grad"});
  CHECK(tensor_names(graph, graph.writes[add]) == Names{"a.grad"});
  // b's gradient is the sum's; a's gradient is accumulated into by b's backward-data task.
  CHECK(tensor_names(graph, graph.reads[task_named(graph, "b.backward_data")]) ==
        Names{"a.grad", "sum.grad"});
  CHECK(tensor_names(graph, graph.writes[task_named(graph, "b.backward_data")]) == Names{"a.grad"});
}

TEST_CASE("an add with one input that wants a gradient needs no backward task") {
  const Network net = read_network_text(tiny::network(R"(
    {"name": "a", "type": "conv", "filters": 2, "kernel": [1, 1]},
    {"name": "sum", "type": "add", "inputs": ["data", "a"]},
    {"name": "c", "type": "conv", "filters": 2, "kernel": [1, 1]})"),
                                        "tiny");
  const TrainingGraph graph = build_training_graph(net);
  const std::vector<std::string> names = names_of_tasks(graph);
  CHECK(std::count(names.begin(), names.end(), "sum.backward") == 0);
  CHECK(tensor_names(graph, graph.reads[task_named(graph, "a.backward_weights")]) ==
        Names{"data", "sum.grad"});
}

TEST_CASE("gradients of a concat's inputs are slices of its own") {
  const Network net = read_network_text(tiny::network(R"(
    {"name": "a", "type": "conv", "filters": 2, "kernel": [1, 1]},
    {"name": "b", "type": "conv", "filters": 3, "kernel": [1, 1], "inputs": ["a"]},
    {"name": "both", "type": "concat", "inputs": ["a", "b"]},
    {"name": "c", "type": "conv", "filters": 2, "kernel": [1, 1]})"),
                                        "tiny");
  const TrainingGraph graph = build_training_graph(net);
  CHECK(tensor_names(graph, graph.writes[task_named(graph, "b.backward_data")]) ==
        Names{"both.grad"});
  CHECK(tensor_names(graph, graph.reads[task_named(graph, "a.backward_weights")]) ==
        Names{"both.grad", "data"});
}

TEST_CASE(
    "a custom layer has one backward task and no update; the last of the file reads no gradient") {
  const Network net = read_network_text(tiny::network(R"(
    {"name": "one", "type": "custom", "output_shape": [4], "forward_time": "1 ms", "backward_time": "2 ms", "parameters": 7},
    {"name": "two", "type": "custom", "output_shape": [6], "forward_time": "1 ms", "backward_time": "2 ms"})",
                                                      "[2]"),
                                        "tiny");
  const TrainingGraph graph = build_training_graph(net);
  CHECK(names_of_tasks(graph) ==
        Names{"one.forward", "two.forward", "two.backward", "one.backward"});
  CHECK(tensor_names(graph, graph.reads[task_named(graph, "two.backward")]) == Names{"two"});
  CHECK(tensor_names(graph, graph.writes[task_named(graph, "two.backward")]) == Names{"one.grad"});
  CHECK(tensor_names(graph, graph.reads[task_named(graph, "one.backward")]) ==
        Names{"one", "one.grad"});
  CHECK(tensor_names(graph, graph.writes[task_named(graph, "one.backward")]).empty());
}

// Footprints under the four accounting rules, on a network small enough to add up by hand.

// Bytes per sample: data 2x4x4 floats = 128; conv 3x4x4 = 192 (batch norm saves it); bn and relu
// share 192 more; pool 3x2x2 = 48.
const std::string kLayers = R"(
  {"name": "conv", "type": "conv", "filters": 3, "kernel": [3, 3], "padding": [1, 1]},
  {"name": "bn", "type": "batch_norm"},
  {"name": "relu", "type": "relu"},
  {"name": "pool", "type": "max_pool", "kernel": [2, 2]},
  {"name": "loss", "type": "softmax_cross_entropy"})";

std::int64_t footprint(Accounting accounting) {
  const Network net = read_network_text(tiny::network(kLayers), "tiny");
  return footprint_per_sample(build_training_graph(net, {.accounting = accounting}), accounting);
}

TEST_CASE("saved bytes are the distinct buffers that backward reads") {
  const Network net = read_network_text(tiny::network(kLayers), "tiny");
  const TrainingGraph graph = build_training_graph(net);
  // data 128 + conv 192 + bn/relu 192 + pool 48 + loss 48 = 608.
  CHECK(saved_bytes_per_sample(graph) == 608);
}

TEST_CASE("liveness peaks at the backward task with the most live bytes") {
  // relu.backward: data 128, conv 192, bn/relu 192, gradient of bn/relu 192 = 704 (pool and loss
  // are dead); pool.backward: data 128, conv 192, bn/relu 192, pool 48, its gradient 48, gradient
  // of relu 192 = 800. bn.backward: data 128, conv 192, gradient of bn 192, gradient of conv 192 =
  // 704.
  CHECK(footprint(Accounting::kLiveness) == 800);
}

TEST_CASE("shared-gradients keeps every output and the two largest gradients") {
  // Outputs 608 (relu is in place), gradients of conv 192 and of bn/relu 192.
  CHECK(footprint(Accounting::kSharedGradients) == 608 + 192 + 192);
}

TEST_CASE("all-gradients keeps every output and every gradient") {
  // Gradients: pool 48, bn/relu 192, conv 192.
  CHECK(footprint(Accounting::kAllGradients) == 608 + 48 + 192 + 192);
}

TEST_CASE("define-by-run keeps the batch-norm output beside the activation's") {
  // relu.backward: data 128, conv 192, bn 192, relu 192, gradients of relu and of bn 192 each = 1088.
  CHECK(footprint(Accounting::kDefineByRun) == 1088);
}

TEST_CASE("static bytes are weights, their gradients and the optimiser's state") {
  const Network net = read_network_text(tiny::network(kLayers), "tiny");
  // conv: 3 x (2 x 3 x 3) + 3 = 57; bn: 6; 63 parameters.
  CHECK(static_bytes(build_training_graph(net)) == 63 * 8);
  CHECK(static_bytes(build_training_graph(net, {.optimizer = Optimizer::kMomentum})) == 63 * 12);
  CHECK(static_bytes(build_training_graph(net, {.optimizer = Optimizer::kAdam})) == 63 * 16);
}

// Which layers share a buffer.

bool shares(const std::string& layers, const char* first, const char* second,
            Accounting accounting = Accounting::kLiveness) {
  const Network net = read_network_text(tiny::network(layers), "tiny");
  const Buffers buffers = assign_buffers(net, {.accounting = accounting});
  std::optional<TensorId> a;
  std::optional<TensorId> b;
  for (std::size_t i = 0; i < net.layers.size(); ++i) {
    if (net.layers[i].name == first) a = buffers.of_layer[i];
    if (net.layers[i].name == second) b = buffers.of_layer[i];
  }
  REQUIRE(a.has_value());
  REQUIRE(b.has_value());
  return *a == *b;
}

const std::string kBuffersConv =
    R"({"name": "conv", "type": "conv", "filters": 2, "kernel": [1, 1]},)";

TEST_CASE("relu overwrites a convolution's output, which nobody saves") {
  CHECK(shares(kBuffersConv + R"({"name": "relu", "type": "relu"})", "conv", "relu"));
}

TEST_CASE("relu does not overwrite what another layer reads") {
  CHECK_FALSE(shares(kBuffersConv + R"({"name": "relu", "type": "relu"},
    {"name": "sum", "type": "add", "inputs": ["conv", "relu"]})",
                     "conv", "relu"));
}

TEST_CASE("a reader behind a view counts as a reader") {
  CHECK_FALSE(shares(
      kBuffersConv +
          R"({"name": "flat", "type": "flatten"}, {"name": "relu", "type": "relu", "inputs": ["conv"]},
    {"name": "flat2", "type": "flatten"}, {"name": "sum", "type": "add", "inputs": ["flat", "flat2"]})",
      "conv", "relu"));
}

TEST_CASE("relu does not overwrite the output of a layer that saves it") {
  CHECK_FALSE(shares(
      kBuffersConv +
          R"({"name": "pool", "type": "max_pool", "kernel": [2, 2]}, {"name": "relu", "type": "relu"})",
      "pool", "relu"));
}

TEST_CASE("dropout behind an in-place relu gets its own buffer, because relu saves its output") {
  CHECK_FALSE(shares(
      kBuffersConv +
          R"({"name": "relu", "type": "relu"}, {"name": "drop", "type": "dropout", "rate": 0.5})",
      "relu", "drop"));
}

TEST_CASE("eager frameworks run activations out of place") {
  CHECK_FALSE(shares(kBuffersConv + R"({"name": "relu", "type": "relu"})", "conv", "relu",
                     Accounting::kDefineByRun));
  CHECK(shares(kBuffersConv + R"({"name": "relu", "type": "relu", "in_place": true})", "conv",
               "relu", Accounting::kDefineByRun));
}

TEST_CASE("a view shares its input's buffer, and a network input is never overwritten") {
  CHECK(shares(kBuffersConv + R"({"name": "flat", "type": "flatten"})", "conv", "flat"));
  const Network net =
      read_network_text(tiny::network(R"({"name": "relu", "type": "relu"}, )" + kBuffersConv +
                                      R"({"name": "loss", "type": "softmax_cross_entropy"})"),
                        "tiny");
  const Buffers buffers = assign_buffers(net, {.accounting = Accounting::kLiveness});
  CHECK(*buffers.of_layer[0] != buffers.of_input[0]);
}

TEST_CASE("asking for in_place where it is impossible names the layer and the reason") {
  const Network net = read_network_text(
      tiny::network(kBuffersConv + R"({"name": "relu", "type": "relu", "in_place": true},
    {"name": "sum", "type": "add", "inputs": ["conv", "relu"]})"),
      "tiny");
  CHECK_THROWS_WITH_AS(
      static_cast<void>(build_training_graph(net)),
      "tiny: layer \"relu\": found \"in_place\": true, expected to be the only reader of \"conv\" "
      "(leave in_place out: it is used where it is possible)",
      SpecError);
}

}  // namespace
}  // namespace ooc::test
