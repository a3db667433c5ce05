// What frozen layers leave out of an iteration, and what adapters bring: tasks, saved bytes, state.
#include <doctest/doctest.h>

#include <set>

#include "model/graph/build_training_graph.hpp"
#include "model/network/network_json.hpp"

using namespace ooc;

namespace {

struct Frozen {
  Network network;
  TrainingGraph graph;
  explicit Frozen(const std::string& layers, const std::string& more = "")
      : network(read_network_text(R"({"format": "ooc-paleo/network", "version": 1, "name": "frozen",
          "inputs": [{"name": "words", "shape": [5]}], "layers": [
          {"name": "table", "type": "embedding", "vocabulary": 10, "width": 4},)" +
                                      layers + "]" + more + "}",
                                  "frozen.json", {.precision = Precision::kBf16})),
        graph(build_training_graph(network, {.optimizer = Optimizer::kAdam})) {}

  [[nodiscard]] std::set<std::string> tasks() const {
    std::set<std::string> names;
    for (std::size_t i = graph.forward_tasks; i < graph.tasks.size(); ++i) {
      names.insert(task_name(graph, make_id<TaskId>(i)));
    }
    return names;
  }
  [[nodiscard]] std::set<std::string> saved() const {
    std::set<std::string> names;
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
      if (is_saved(graph, make_id<TensorId>(i)))
        names.insert(tensor_name(graph, make_id<TensorId>(i)));
    }
    return names;
  }
};

constexpr const char* kChain =
    R"({"name": "a", "type": "linear", "units": 4, "bias": false},
       {"name": "b", "type": "linear", "units": 4, "bias": false, "lora": {"rank": 2}},
       {"name": "c", "type": "linear", "units": 4, "bias": false})";

}  // namespace

TEST_CASE(
    "only gradients that reach a trainable layer are computed, and only what they read is saved") {
  const Frozen built(kChain, R"(, "frozen": true)");
  // Nothing learns below b: a and the table have no backward pass, and b's frozen matrix no gradient of its input.
  CHECK(built.tasks() == std::set<std::string>{"b/a.backward_weights", "b/b.backward_data",
                                               "b/b.backward_weights", "b/a.update", "b/b.update",
                                               "c.backward_data"});
  // What a learns by: its input, and b's; c's input is in no gradient, since c is frozen.
  CHECK(built.saved() == std::set<std::string>{"a", "b/a"});
  CHECK(built.graph.gradient_bytes == 2 * 16);
  CHECK(built.graph.optimizer_bytes == (4 + 8) * 16);
  CHECK(built.graph.weight_bytes == 2 * (40 + 3 * 16 + 16));
}

TEST_CASE("software that wants a gradient of the embedding pays for it") {
  const Frozen built(kChain, R"(, "frozen": true, "input_gradient": true)");
  const std::set<std::string> tasks = built.tasks();
  for (const char* name : {"a.backward_data", "b/base.backward_data", "b/a.backward_data"}) {
    CAPTURE(name);
    CHECK(tasks.contains(name));
  }
  CHECK_FALSE(tasks.contains("a.backward_weights"));
  CHECK_FALSE(tasks.contains("table.backward_weights"));
  CHECK(built.saved() == std::set<std::string>{"a", "b/a"});
}

TEST_CASE("the gradient of an adapted layer is handed on to both of its branches without a copy") {
  const Frozen built(kChain, R"(, "frozen": true, "input_gradient": true)");
  CHECK_FALSE(built.tasks().contains("b.backward"));
  std::size_t gradients = 0;
  for (const Tensor& tensor : built.graph.tensors)
    gradients += tensor.role == TensorRole::kGradient;
  // What b and both of its branches share, b/a's output, a's output, the table's.
  CHECK(gradients == 4);
}

TEST_CASE("frozen norms hand gradients down and keep what that takes; storage counts in weights") {
  const Frozen learnt(
      R"({"name": "a", "type": "linear", "units": 4}, {"name": "n", "type": "rms_norm"})");
  const Frozen frozen(
      R"({"name": "a", "type": "linear", "units": 4}, {"name": "n", "type": "rms_norm", "frozen": true})");
  CHECK(frozen.tasks().contains("n.backward"));
  CHECK_FALSE(frozen.tasks().contains("n.update"));
  CHECK(frozen.saved() == learnt.saved());
  const Frozen stored(
      R"({"name": "a", "type": "linear", "units": 8, "frozen": true, "storage": "nf4"},
         {"name": "b", "type": "linear", "units": 4})");
  // 2 B a parameter of table, a's bias and b; a's 32 weights in 16 bytes and one scale.
  CHECK(stored.graph.weight_bytes == 2 * (40 + 8 + 36) + 16 + 4);
}
