// What frozen layers leave out of an iteration, and what adapters bring: tasks, saved bytes, state.
#include "model/graph/build_training_graph.hpp"
#include "model/graph/training_graph.hpp"
#include "model/network/network_json.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

namespace {

struct Frozen {
  Network network;
  TrainingGraph graph;
  explicit Frozen(const std::string& layers, const std::string& more = "",
                  Precision precision = Precision::kBf16)
      : network(read_network_text(R"({"format": "ooc-paleo/network", "version": 1, "name": "frozen",
          "inputs": [{"name": "words", "shape": [5]}], "layers": [
          {"name": "table", "type": "embedding", "vocabulary": 10, "width": 4},)" +
                                      layers + "]" + more + "}",
                                  "frozen.json", {.precision = precision})),
        graph(build_training_graph(network, {.optimizer = Optimizer::kAdam})) {}

  [[nodiscard]] const LayerModel& model(const std::string& name) const {
    for (const Layer& layer : network.layers) {
      if (layer.name == name) return *layer.model;
    }
    FAIL("no layer " << name);
    return *network.layers.front().model;
  }
  [[nodiscard]] const Tensor& tensor(const std::string& name) const {
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
      if (tensor_name(graph, make_id<TensorId>(i)) == name) return graph.tensors[i];
    }
    FAIL("no tensor " << name);
    return graph.tensors.front();
  }
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

/// The same, b's adapters of this type.
std::string chain_of(const std::string& type) {
  std::string text = kChain;
  const std::string rank = R"("rank": 2)";
  return text.insert(text.find(rank) + rank.size(), R"(, "dtype": ")" + type + "\"");
}

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

TEST_CASE("float32 adapters of a 16-bit network copy what they read and have no master copy") {
  // Five steps of four numbers in and out, rank 2: 16 weights.
  const Frozen built(chain_of("float32"), R"(, "frozen": true)");
  CHECK(built.saved() == std::set<std::string>{"b/a.reserve", "b/a"});
  CHECK(built.tensor("b/a.reserve").bytes_per_sample == 4 * 20);
  CHECK(built.tensor("b/a").bytes_per_sample == 4 * 10);
  CHECK(built.tensor("b/b").bytes_per_sample == 4 * 20);
  CHECK(built.tensor("b/base").bytes_per_sample == 2 * 20);
  CHECK(built.tensor("b").bytes_per_sample == 2 * 20);
  CHECK(built.graph.weight_bytes == 2 * (40 + 3 * 16) + 4 * 16);
  CHECK(built.graph.gradient_bytes == 4 * 16);
  CHECK(built.graph.optimizer_bytes == 8 * 16);
  // Casts of the input (2 + 4 bytes), then both operands in 4. The sum of 2 and 4 is written in 4 and cast back to 2; its
  // gradient is cast for the adapter and back for the base, and the scale reads and writes 4 each way.
  const LayerModel& a = built.model("b/a");
  CHECK(a.computes_in == Dtype::kFloat32);
  CHECK(a.work.forward.bytes_per_sample == 20 * 6 + (20 + 10) * 4);
  CHECK(a.work.forward.bytes_fixed == 8 * 4);
  const LayerModel& sum = built.model("b");
  CHECK(sum.work.forward.bytes_per_sample == 20 * (2 + 4 + 4 + 4 + 2));
  CHECK(sum.work.forward.workspace_per_sample == 20 * 2);
  const LayerModel& up = built.model("b/b");
  CHECK(up.products->apart_forward == 20 * 8);
  CHECK(up.products->apart_backward == 20 * 8);
  CHECK(up.products->beside_backward == 20 * (6 + 6));
  CHECK(up.work.forward.workspace_per_sample == 20 * 4);
  CHECK(built.model("b/base").computes_in == Dtype::kBfloat16);
  // The gradient of the sum is cast for them.
  CHECK(built.tasks().contains("b.backward"));
  CHECK(built.tensor("b/b.grad").bytes_per_sample == 4 * 20);
}

TEST_CASE("a type of adapters that the precision has for them changes nothing") {
  const Frozen plain(kChain);
  for (const Frozen& same : {Frozen(chain_of("bfloat16")), Frozen(chain_of("bfloat16"), "")}) {
    CHECK(same.tasks() == plain.tasks());
    CHECK(same.saved() == plain.saved());
    CHECK(static_bytes(same.graph) == static_bytes(plain.graph));
  }
  // Autocast casts what float32 parameters read; FSDP casts them, too.
  for (const Precision precision : {Precision::kAmpBf16, Precision::kFsdpBf16, Precision::kTf32}) {
    const Frozen cast(chain_of("float32"), R"(, "frozen": true)", precision);
    const Frozen usual(kChain, R"(, "frozen": true)", precision);
    CHECK(cast.saved() == usual.saved());
    CHECK(static_bytes(cast.graph) == static_bytes(usual.graph));
    CHECK(cast.model("b/a").computes_in == usual.model("b/a").computes_in);
    CHECK(cast.model("b/a").casts.parameters == usual.model("b/a").casts.parameters);
  }
}

TEST_CASE("state of adapters follows their type where no master copy stands beside them") {
  const auto state_of_adapters = [](const char* type, Precision precision) {
    const Frozen built(chain_of(type), R"(, "frozen": true)", precision);
    return (built.graph.gradient_bytes + built.graph.optimizer_bytes) / 16;
  };
  CHECK(state_of_adapters("float32", Precision::kBf16Pure) == 4 + 8);
  CHECK(state_of_adapters("bfloat16", Precision::kBf16Pure) == 2 + 4);
  CHECK(state_of_adapters("bfloat16", Precision::kAmpBf16) == 2 + 4);
  CHECK(state_of_adapters("bfloat16", Precision::kBf16) == 2 + 4 + 8);
  const Frozen narrow(chain_of("bfloat16"), R"(, "frozen": true)", Precision::kAmpBf16);
  CHECK(narrow.model("b/a").casts.parameters == 0);  // multiplied as they are
  CHECK(narrow.model("a").casts.parameters > 0);
}
