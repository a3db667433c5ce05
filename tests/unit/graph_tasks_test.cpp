// Which tasks a network has, in which order, and what they read and write.
#include "model/graph/build_training_graph.hpp"
#include "model/network/network_json.hpp"
#include "tests/support/test.hpp"
#include "tests/support/tiny_specs.hpp"

using namespace ooc;

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

}  // namespace

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
