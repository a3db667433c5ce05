// What an imported block keeps for backward, to the byte: the figures of graph_transformer_test.cpp, through
// configs and kernels, in the precision that imported files have.
#include "model/graph/build_training_graph.hpp"
#include "model/graph/liveness.hpp"
#include "model/network/network_json.hpp"
#include "tests/support/shipped_families.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

namespace {

SpecDocument checkpoint(const std::string& name) {
  const SpecDocument all = read_spec_file(OOC_SOURCE_DIR "/tests/data/checkpoints.json");
  for (const SpecView& each : SpecView(all).get("checkpoints").items()) {
    if (each.get("name").as_text() == name) {
      return {.file = name + ".json", .root = each.get("config").node()};
    }
  }
  FAIL("no such checkpoint: " << name);
  return {};
}

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

}  // namespace

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
