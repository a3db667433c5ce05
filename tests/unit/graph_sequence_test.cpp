// Sequence layers in the training graph: tasks per time step, what is saved, shared parameters,
// reserves and workspaces.
#include "model/graph/build_training_graph.hpp"
#include "model/graph/training_graph.hpp"
#include "model/network/network_json.hpp"
#include "tests/support/shipped_families.hpp"
#include "tests/support/test.hpp"
#include "tests/support/tiny_specs.hpp"

namespace ooc::test {
namespace {

using Names = std::vector<std::string>;

struct SequenceCase {
  Network net;
  TrainingGraph graph;

  SequenceCase(const std::string& layers, const std::string& shape)
      : net(read_network_text(tiny::network(layers, shape), "tiny")),
        graph(build_training_graph(net)) {}
  SequenceCase(const SequenceCase&) = delete;
  SequenceCase& operator=(const SequenceCase&) = delete;

  [[nodiscard]] Names tasks() const {
    Names names;
    for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
      names.push_back(task_name(graph, make_id<TaskId>(i)));
    }
    return names;
  }

  [[nodiscard]] Names saved() const {
    Names names;
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
      const TensorId id = make_id<TensorId>(i);
      if (is_saved(graph, id)) names.push_back(tensor_name(graph, id));
    }
    return names;
  }

  [[nodiscard]] Names touched(const std::string& task, const Csr<TaskId, TensorId>& by) const {
    const Names names = tasks();
    const auto it = std::find(names.begin(), names.end(), task);
    REQUIRE_MESSAGE(it != names.end(), task);
    Names result;
    for (const TensorId id : by[make_id<TaskId>(static_cast<std::size_t>(it - names.begin()))]) {
      result.push_back(tensor_name(graph, id));
    }
    std::sort(result.begin(), result.end());
    return result;
  }
};

const std::string kLstm = R"({"name": "m", "type": "lstm", "units": 2},
  {"name": "loss", "type": "softmax_cross_entropy"})";

TEST_CASE("an lstm runs step by step, backward from the last, with one update") {
  const SequenceCase it(kLstm, "[2, 3]");
  CHECK(it.tasks() ==
        Names{"m/0/0/gates.forward", "m/0/0/cell.forward", "m/0/0/hidden.forward",
              "m/0/1/gates.forward", "m/0/1/cell.forward", "m/0/1/hidden.forward", "m.forward",
              "loss.forward", "loss.backward", "m/0/1/hidden.backward", "m/0/1/cell.backward",
              "m/0/1/gates.backward_data", "m/0/1/gates.backward_weights", "m/0/0/hidden.backward",
              "m/0/0/cell.backward", "m/0/0/gates.backward_weights", "m/0/0/gates.update"});
}

TEST_CASE("an lstm saves gates, cell and hidden state of each step") {
  const SequenceCase it(kLstm, "[2, 3]");
  // The last hidden state is only gathered; the loss saves its output.
  CHECK(it.saved() == Names{"data", "m/0/0/gates", "m/0/0/cell", "m/0/0/hidden", "m/0/1/gates",
                            "m/0/1/cell", "loss"});
  // 2 x 3 + 8 + 2 + 2 + 8 + 2 + 2 x 2 elements of 4 bytes.
  CHECK(saved_bytes_per_sample(it.graph) == 128);
  CHECK(it.touched("m/0/1/cell.backward", it.graph.reads) ==
        Names{"m/0/0/cell", "m/0/1/cell.grad", "m/0/1/gates", "m/0/1/gates.grad"});
  // The gradient of a hidden state is a slice of that of the output, which the step above adds to.
  CHECK(it.touched("m/0/1/gates.backward_data", it.graph.writes) == Names{"m.grad"});
  CHECK(it.touched("m/0/0/hidden.backward", it.graph.writes) ==
        Names{"m/0/0/cell.grad", "m/0/0/gates.grad"});
}

TEST_CASE("plain attention keeps a reserve, additive attention one for each query") {
  // One input of 4 x 6: query, key and value of width 2. 16 weights, 4 bytes each.
  const SequenceCase plain(R"({"name": "fc", "type": "linear", "units": 6},
    {"name": "a", "type": "attention", "heads": 1})",
                           "[4, 6]");
  CHECK(plain.saved() == Names{"data", "fc", "a.reserve"});
  CHECK(saved_bytes_per_sample(plain.graph) == 4 * (24 + 24 + 16));
  CHECK(plain.touched("a.backward", plain.graph.reads) == Names{"a.reserve", "fc"});

  const std::string layers = R"({"name": "q", "type": "linear", "units": 2, "inputs": ["data"]},
    {"name": "k", "type": "linear", "units": 2, "inputs": ["data"]},
    {"name": "v", "type": "linear", "units": 5, "inputs": ["data"]},
    {"name": "a", "type": "attention", "kind": "additive", "heads": 1, "inputs": ["q", "k", "v"])";
  const SequenceCase kept(layers + "}", "[2, 6]");
  CHECK(kept.saved() == Names{"data", "v", "a/0.reserve", "a/1.reserve"});
  CHECK(saved_bytes_per_sample(kept.graph) == 4 * (12 + 10 + 2 * 2 * (2 + 1)));
  CHECK(kept.touched("a/1.backward", kept.graph.reads) == Names{"a/1.reserve", "v"});
  const SequenceCase again(layers + R"(, "memory_efficient": true})", "[2, 6]");
  CHECK(again.saved() == Names{"data", "q", "k", "v"});
}

TEST_CASE("reserves count in every footprint, masks only under liveness") {
  const SequenceCase it(R"({"name": "fc", "type": "linear", "units": 6},
    {"name": "a", "type": "attention", "heads": 1})",
                        "[4, 6]");
  // data 24, fc 24, a 8, reserve 16 and the gradient of fc 24 (a's output is the network's).
  CHECK(footprint_per_sample(it.graph, Accounting::kAllGradients) == 4 * 96);
}

TEST_CASE("the output of a long sequence is gathered without looking at every pair of steps") {
  // Would take minutes if each of 20,000 reads were compared with all others.
  const SequenceCase it(R"({"name": "m", "type": "gru", "units": 1})", "[20000, 1]");
  CHECK(it.touched("m.forward", it.graph.reads).size() == 20'000);
}

// What an imported block keeps for backward, to the byte: the figures of graph_transformer_test.cpp, through
// configs and kernels, in the precision that imported files have.

std::int64_t saved_bytes(const TrainingGraph& graph) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    if (is_saved(graph, make_id<TensorId>(i))) bytes += graph.tensors[i].bytes_per_sample;
  }
  return bytes;
}

/// Of a block more of an imported network.
std::int64_t kept_by_copy(const std::string& text, NetworkOptions options) {
  std::int64_t kept[2] = {0, 0};
  for (const int more : {0, 1}) {
    options.copies = 2 + more;
    const Network network = read_network_text(text, "imported", options);
    kept[more] = saved_bytes(build_training_graph(network));
  }
  return kept[1] - kept[0];
}

/// The same at one step.
std::int64_t kept_by_block(const std::string& name, ImportKernels kernels) {
  return kept_by_copy(
      import_by_family(checkpoint(name), {.symbols = {{"seq", 1}}, .kernels = kernels}), {});
}

TEST_CASE("imported blocks keep the bytes a token that are published") {
  CHECK(kept_by_block("llama-3-8b", ImportKernels::kFused) == 139'400);
  CHECK(kept_by_block("llama-2-7b", ImportKernels::kFused) ==
        153'736 - 2 * 11'008);  // the gate's result is not kept
  CHECK(kept_by_block("qwen3-8b", ImportKernels::kSdpa) == 215'336);
  // Norms in float32 keep 6 bytes a number and their rows, in place of the input's 2.
  CHECK(kept_by_block("llama-3-8b", ImportKernels::kSdpa) == 168'072 + 2 * 4096 * 4);
}

TEST_CASE("an imported checkpoint is trained by Adam in 16 bits: 16 bytes a parameter") {
  const std::string text = import_by_family(checkpoint("llama-3-8b"), {});
  const Network network = read_network_text(text, "llama");
  CHECK(network.precision == Precision::kBf16);
  const TrainingGraph graph = build_training_graph(network);
  CHECK(graph.optimizer == Optimizer::kAdam);
  CHECK(static_bytes(graph) == 16 * 8'030'261'248);  // 128.5 GB
  CHECK(static_bytes(build_training_graph(network, {.optimizer = Optimizer::kSgd})) ==
        8 * 8'030'261'248);  // the master weights stay
  const Network pure = read_network_text(text, "llama", {.precision = Precision::kBf16Pure});
  CHECK(static_bytes(build_training_graph(pure)) == 8 * 8'030'261'248);  // 64.2 GB
  // A type for everything is asked for in the precision's place.
  const Network plain = read_network_text(text, "llama", {.dtype = Dtype::kBfloat16});
  CHECK_FALSE(plain.precision.has_value());
  CHECK(static_bytes(build_training_graph(plain)) == 12 * 8'030'261'248);
}

TEST_CASE("weights that head and embedding share count once") {
  const Network network = read_network_text(import_by_family(checkpoint("gpt2"), {}), "gpt2");
  CHECK(static_bytes(build_training_graph(network)) == 16 * 124'439'808);
  const Network t5 = read_network_text(import_by_family(checkpoint("t5-small"), {}), "t5");
  CHECK(static_bytes(build_training_graph(t5)) == 16 * 60'506'624);
}

TEST_CASE(
    "gelu_new written out keeps four values an element, three of them in float32 under autocast") {
  const std::string eager = import_by_family(checkpoint("gpt2"), {.symbols = {{"seq", 1}}});
  const std::string fused = import_by_family(
      checkpoint("gpt2"), {.symbols = {{"seq", 1}}, .kernels = ImportKernels::kFused});
  const std::int64_t units = 4 * 768;
  CHECK(kept_by_copy(eager, {}) - kept_by_copy(fused, {}) == 3 * 2 * units);
  // A float32 copy of x, tanh, a half of x and the other factor: 4 + 4 + 2 + 4 in place of x; the result is float32,
  // of which the next layer keeps a copy of 16 bits, as it kept the result.
  const NetworkOptions amp{.precision = Precision::kAmpBf16};
  CHECK(kept_by_copy(eager, amp) - kept_by_copy(fused, amp) == (14 - 2) * units);
}

}  // namespace
}  // namespace ooc::test
