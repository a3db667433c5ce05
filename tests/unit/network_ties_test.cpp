// Weights that layers share ("tied_to"), counted once, and layers that read nothing ("parameter").
#include "tests/support/test.hpp"
#include "tests/unit/network_support.hpp"

using namespace ooc;

namespace {

/// Word numbers [5], a table of 10 x 4, and what follows.
std::string tied_text(const std::string& layers) {
  return R"({"format": "ooc-paleo/network", "version": 1, "name": "tied",
    "inputs": [{"name": "data", "shape": [5]}], "layers": [
      {"name": "table", "type": "embedding", "vocabulary": 10, "width": 4},)" +
         layers + "]}";
}

std::string head(const std::string& tied_to, int units = 10, const std::string& more = "") {
  return R"({"name": "head", "type": "linear", "units": )" + std::to_string(units) +
         R"(, "bias": false, "tied_to": ")" + tied_to + "\"" + more + "}";
}

std::string tie_error(const std::string& layers) { return file_error(tied_text(layers)); }

Network tied_network(const std::string& layers) {
  return read_network_text(tied_text(layers), "tied.json");
}

std::vector<std::int32_t> indices(const std::vector<LayerId>& layers) {
  std::vector<std::int32_t> all;
  for (const LayerId id : layers) all.push_back(id.index);
  return all;
}

}  // namespace

TEST_CASE("a tied head has no parameters of its own but a bias") {
  const Network network =
      tied_network(R"({"name": "norm", "type": "layer_norm"},)" + head("table"));
  CHECK(total_parameters(network) == 40 + 8);
  CHECK(network.layers[2].model->parameters == 0);
  CHECK(network.layers[2].tied_to == LayerId{0});
  CHECK(has_weights(network.layers[2]));
  CHECK(total_forward_macs(network) == 5 * 4 * 10);
  REQUIRE(network.units.size() == 2);
  CHECK(network.units[0].owner == LayerId{0});
  CHECK(indices(network.units[0].tied) == std::vector<std::int32_t>{2});
  CHECK(network.units[0].parameters == 40);
  CHECK(network.units[1].owner == LayerId{1});
  CHECK(network.units[1].tied.empty());
  const Network biased = read_network_text(
      tied_text(R"({"name": "head", "type": "linear", "units": 10, "tied_to": "table"})"),
      "tied.json");
  CHECK(total_parameters(biased) == 40 + 10);
  CHECK(biased.units.size() == 2);
}

TEST_CASE(
    "copies of a repeat may share what stands outside, in an earlier copy or in an unrolled "
    "network") {
  // What unrolls before the owner moves it.
  const Network network = tied_network(R"(
      {"name": "first", "type": "gru", "units": 4, "bias_vectors": 0},
      {"name": "up", "type": "linear", "units": 4},
      {"name": "blocks", "type": "repeat", "times": 2, "layers": [
        {"name": "memory", "type": "gru", "units": 4},
        {"name": "shared", "type": "linear", "units": 4, "bias": false, "tied_to": "up"}]},)" +
                                       head("table"));
  const auto unit = std::find_if(
      network.units.begin(), network.units.end(),
      [&](const WeightUnit& it) { return network.layers[it.owner.at()].name == "up"; });
  REQUIRE(unit != network.units.end());
  REQUIRE(unit->tied.size() == 2);
  for (const LayerId id : unit->tied) {
    CHECK(network.layers[id.at()].name.ends_with("/shared"));
    CHECK(network.layers[id.at()].tied_to == unit->owner);
  }
  REQUIRE(network.units[0].tied.size() == 1);
  CHECK(network.layers[network.units[0].tied[0].at()].name == "head");
}

TEST_CASE("what a layer cannot be tied to is refused where it says so") {
  CHECK(has(tie_error(head("tabel")),
            "/layers/1/tied_to: found \"tabel\", expected the name of a layer"));
  CHECK(has(tie_error(head("tabel")), "did you mean \"table\"?"));
  CHECK(has(tie_error(head("data")), "found \"data\", expected the name of a layer"));
  CHECK(has(tie_error(head("head")), "found \"head\", the layer itself"));
  CHECK(
      has(tie_error(head("table", 9)), "\"table\" with weights of 10x4, expected weights of 9x4"));
  const std::string norm = R"({"name": "norm", "type": "layer_norm"},)";
  CHECK(has(tie_error(norm + head("norm")),
            "found \"norm\" (layer_norm), expected a layer with a matrix of weights of 10x4"));
  const std::string second = R"({"name": "again", "type": "linear", "units": 4},)" + norm;
  CHECK(has(tie_error(head("table") + "," + second +
                      R"({"name": "last", "type": "linear", "units": 10, "tied_to": "head"})"),
            "found \"head\", which is tied itself, expected \"table\", whose weights they are"));
  CHECK(has(tie_error(head("last") + R"(, {"name": "back", "type": "linear", "units": 4},
                   {"name": "last", "type": "linear", "units": 10})"),
            "found \"last\", which runs later, expected a layer that runs before this one"));
  CHECK(has(tie_error(R"({"name": "memory", "type": "gru", "units": 4},)" + head("memory")),
            "found \"memory\" (gru)"));
  CHECK(has(tie_error(R"({"name": "act", "type": "relu", "tied_to": "table"})"),
            "unknown key \"tied_to\""));
  CHECK(has(tie_error(R"({"name": "head", "type": "linear", "units": 4, "tied_to": 3})"),
            "/tied_to: found 3"));
  const std::string copy = tie_error(R"({"name": "blocks", "type": "repeat", "times": 2, "layers": [
                   {"name": "a", "type": "linear", "units": 4, "tied_to": "blocks/0/a"}]})");
  CHECK(has(copy, "found \"blocks/0/a\", the layer itself, expected another layer"));
  CHECK(has(copy, "layer blocks/0/a)"));  // which copy it is
}

TEST_CASE("a parameter reads no layer, whatever stands before it") {
  const Network network = read_network_text(R"({"format": "ooc-paleo/network", "version": 1,
    "name": "token", "inputs": [{"name": "data", "shape": [4, 6]}], "layers": [
      {"name": "patches", "type": "linear", "units": 3},
      {"name": "token", "type": "parameter", "shape": [1, 3]},
      {"name": "all", "type": "concat", "inputs": ["token", "patches"]}]})",
                                            "token.json");
  CHECK(wiring(network) ==
        std::vector<std::string>{"patches: data", "token:", "all: token patches"});
  CHECK(total_parameters(network) == 21 + 3);
  CHECK(network.layers[2].model->output == TensorShape{{5, 3}});
  CHECK(network.execution_order.front() == LayerId{0});
  CHECK(
      has(network_error(R"({"name": "p", "type": "parameter", "shape": [2], "inputs": ["data"]})"),
          "/layers/0/inputs: found a list of 1, expected nothing here"));
  CHECK(has(network_error(R"({"name": "p", "type": "parameter", "shape": []})"),
            "/shape: found an empty list"));
  CHECK(has(network_error(R"({"name": "p", "type": "parameter", "shape": [0]})"),
            "/shape/0: found 0"));
  CHECK(has(network_error(R"({"name": "p", "type": "parameter"})"), "no \"shape\""));
}
