// Footprints under the four accounting rules, on a network small enough to add up by hand.
#include "model/graph/build_training_graph.hpp"
#include "model/graph/liveness.hpp"
#include "model/network/network_json.hpp"
#include "tests/support/test.hpp"
#include "tests/support/tiny_specs.hpp"

using namespace ooc;

namespace {

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

}  // namespace

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
