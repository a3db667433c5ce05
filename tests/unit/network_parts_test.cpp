// Layers that unroll over time steps: names, wiring, order and totals once they are in a network.
#include "tests/support/test.hpp"
#include "tests/unit/network_support.hpp"

using namespace ooc;
using PartsLines = std::vector<std::string>;

namespace {

/// One input "words" of five word numbers.
std::string text(const std::string& layers, const std::string& more = "") {
  return R"({"format": "ooc-paleo/network", "version": 1, "name": "tiny", "source": "a test",
    "inputs": [{"name": "words", "shape": [2]}], "layers": [)" +
         layers + "]" + more + "}";
}

const std::string kEmbedding =
    R"({"name": "table", "type": "embedding", "vocabulary": 10, "width": 3})";

Network parts_read(const std::string& layers, const std::string& more = "") {
  return read_network_text(text(layers, more), "tiny.json");
}

}  // namespace

TEST_CASE("a gru's steps stand in its place and its readers read what gathers them") {
  const Network network = parts_read(kEmbedding + R"(,
    {"name": "memory", "type": "gru", "units": 4},
    {"name": "drop", "type": "dropout", "rate": 0.5},
    {"name": "fc", "type": "linear", "units": 10})");
  CHECK(wiring(network) ==
        PartsLines{"table: words", "memory/0/0/gates: table", "memory/0/0/hidden: memory/0/0/gates",
                   "memory/0/1/gates: table memory/0/0/hidden",
                   "memory/0/1/hidden: memory/0/1/gates memory/0/0/hidden",
                   "memory: memory/0/0/hidden memory/0/1/hidden", "drop: memory", "fc: drop"});
  // 30 + 3 x 4 x (3 + 4 + 2) = 108 + 4 x 10 + 10.
  CHECK(total_parameters(network) == 188);
  // Two steps of 3 x 4 x (3 + 4) = 84, and 2 x 4 x 10.
  CHECK(total_forward_macs(network) == 248);
  CHECK(network.layers[1].kind->name == "gru");
  CHECK(network.layers[5].model->output == TensorShape{{2, 4}});
  CHECK_FALSE(network.layers[5].model->parts);
  REQUIRE(network.execution_order.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) CHECK(network.execution_order[i].at() == i);
  REQUIRE(network.outputs.size() == 1);
  CHECK(network.layers[network.outputs[0].at()].name == "fc");
}

TEST_CASE("expected totals, outputs and references by name see the unrolled network") {
  const std::string layers = kEmbedding + R"(,
    {"name": "last", "type": "linear", "units": 2, "inputs": ["memory"]},
    {"name": "memory", "type": "gru", "units": 4, "inputs": ["table"]})";
  // The gru stands behind its reader; both may be outputs.
  const Network network = parts_read(layers, R"(, "outputs": ["last", "memory"],
    "expect": {"parameters": 148, "forward_macs": 184})");
  REQUIRE(network.outputs.size() == 2);
  CHECK(network.layers[network.outputs[0].at()].name == "last");
  CHECK(network.layers[network.outputs[1].at()].name == "memory");
  CHECK(network.execution_order.back() == network.outputs[0]);
  CHECK(has(file_error(text(layers, R"(, "outputs": ["last", "memory"],
    "expect": {"parameters": 149})")),
            "/expect/parameters: found 149, expected 148"));
}

TEST_CASE("layers unroll inside a repeat, each copy with parameters of its own") {
  const Network network = parts_read(kEmbedding + R"(,
    {"name": "deep", "type": "repeat", "times": 2, "layers": [
      {"name": "memory", "type": "lstm", "units": 3, "bias_vectors": 1}]})");
  CHECK(network.layers.size() == 15);  // 1 + 2 x (2 x 3 + 1)
  CHECK(network.layers[1].name == "deep/0/memory/0/0/gates");
  CHECK(network.layers[7].name == "deep/0/memory");
  CHECK(producer_name(network, network.layers[8].inputs[0]) == "deep/0/memory");
  CHECK(total_parameters(network) == 30 + 2 * 84);  // 4 x 3 x (3 + 3 + 1)
}

TEST_CASE("too many steps in all are refused where they become too many") {
  const std::string layers = R"(
    {"name": "deep", "type": "repeat", "times": 3, "layers": [
      {"name": "wide", "type": "reshape", "shape": [200000, 1], "inputs": ["words"]},
      {"name": "memory", "type": "gru", "units": 1}]})";
  const std::string error = file_error(
      R"({"format": "ooc-paleo/network", "version": 1, "name": "tiny", "source": "a test",
    "inputs": [{"name": "words", "shape": [200000]}], "layers": [)" +
      layers + R"(], "outputs": ["deep", "deep/0/memory", "deep/1/memory"]})");
  // Three copies of 1 + 2 x 200,000 + 1 layers.
  CHECK(has(error, "layers once time steps are unrolled, expected at most 1000000"));
  CHECK(has(error, "/layers/0/layers/1"));
}
