// Which layers share a buffer.
#include "model/base/errors.hpp"
#include "model/graph/buffers.hpp"
#include "model/graph/build_training_graph.hpp"
#include "model/network/network_json.hpp"
#include "tests/support/test.hpp"
#include "tests/support/tiny_specs.hpp"

using namespace ooc;

namespace {

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

}  // namespace

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
