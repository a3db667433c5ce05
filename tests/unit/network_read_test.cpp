// Reading whole networks: defaults, order, outputs, expected sums, and what is refused.
#include "tests/support/test.hpp"
#include "tests/unit/network_support.hpp"

using namespace ooc;
using ReaderLines = std::vector<std::string>;
using Dims = std::vector<std::int64_t>;

namespace {

const std::string kReaderConv =
    R"({"name": "conv", "type": "conv", "filters": 4, "kernel": [3, 3], "padding": 1})";
const std::string kRelu = R"({"name": "relu", "type": "relu"})";

std::string file(const std::string& rest) {
  return R"({"format": "ooc-paleo/network", "version": 1, "name": "tiny")" + rest + "}";
}

const std::string kInputs = R"(, "inputs": [{"name": "data", "shape": [4, 8, 8]}])";
const std::string kReaderLayers = R"(, "layers": [{"name": "relu", "type": "relu"}])";

}  // namespace

TEST_CASE("a layer without inputs reads the layer before, the first one the network's input") {
  const Network network = read_layers(kReaderConv + "," + kRelu);
  CHECK(network.name == "tiny");
  CHECK(network.dtype == Dtype::kFloat32);
  CHECK_FALSE(network.batch.has_value());
  CHECK(wiring(network) == ReaderLines{"conv: data", "relu: conv"});
  CHECK(network.layers[0].kind->name == "conv");
  CHECK(network.layers[1].model->output.dims == Dims{4, 8, 8});
  CHECK(total_parameters(network) == 148);     // 9 x 4 x 4 + 4
  CHECK(total_forward_macs(network) == 9216);  // 144 x 64
  CHECK(network.outputs == std::vector<LayerId>{LayerId{1}});
  CHECK(network.execution_order == std::vector<LayerId>{LayerId{0}, LayerId{1}});
}

TEST_CASE("known keys of the head are read") {
  const Network network =
      read_layers(kRelu, R"(, "$schema": "network.schema.json", "source": "a paper", "batch": 32,
                "dtype": "float16", "description": "words")");
  CHECK(network.source == "a paper");
  CHECK(network.batch == 32);
  CHECK(network.dtype == Dtype::kFloat16);
  CHECK(network.layers[0].model->work.forward.bytes_per_sample == 1024);  // 2 x 256 x 2 bytes
}

TEST_CASE("the order of layers need not be topological, ties go by place in the file") {
  const Network network = read_layers(R"(
      {"name": "sum", "type": "add", "inputs": ["b", "a"]},
      {"name": "a", "type": "gelu", "inputs": ["data"]},
      {"name": "b", "type": "silu", "inputs": ["data"]})",
                                      R"(, "outputs": ["sum"])");
  CHECK(network.execution_order == std::vector<LayerId>{LayerId{1}, LayerId{2}, LayerId{0}});
  CHECK(network.layers[0].model->output.dims == Dims{4, 8, 8});
  CHECK(wiring(network)[0] == "sum: b a");
  CHECK(network.outputs == std::vector<LayerId>{LayerId{0}});
}

TEST_CASE("outputs may be several and may be read as well") {
  const Network network = read_layers(kReaderConv + "," + kRelu + "," + R"({"name": "side", "type":
      "gelu", "inputs": ["conv"]})",
                                      R"(, "outputs": ["relu", "side", "conv"])");
  CHECK(network.outputs == std::vector<LayerId>{LayerId{1}, LayerId{2}, LayerId{0}});
}

TEST_CASE("several inputs of the network are named by their readers") {
  const std::string inputs =
      R"(, "inputs": [{"name": "a", "shape": [3]}, {"name": "b", "shape": [3]}])";
  const Network network = read_network_text(
      file(inputs + R"(, "layers": [{"name": "sum", "type": "add", "inputs": ["a", "b"]}])"), "x");
  CHECK(wiring(network) == ReaderLines{"sum: a b"});
  CHECK(has(file_error(file(inputs + kReaderLayers)), "which of the 2 inputs"));
}

TEST_CASE("expected sums are checked and both numbers shown") {
  CHECK(network_error(kReaderConv, R"(, "expect": {"parameters": 148, "forward_macs": 9216})")
            .empty());
  const std::string parameters = network_error(kReaderConv, R"(, "expect": {"parameters": 149})");
  CHECK(has(parameters, "tiny.json: /expect/parameters: found 149, expected 148"));
  const std::string macs = network_error(kReaderConv, R"(, "expect": {"forward_macs": 9215})");
  CHECK(has(macs, "/expect/forward_macs: found 9215, expected 9216"));
  CHECK(has(network_error(kReaderConv, R"(, "expect": {"macs": 9216})"),
            "/expect/macs: found unknown key"));
}

TEST_CASE("a missing, wrong or unknown part of the head is refused") {
  CHECK(file_error(file(kInputs + kReaderLayers)).empty());
  CHECK(has(file_error("{}"), "no \"format\""));
  CHECK(has(file_error(R"({"format": "other", "version": 1})"), "/format: found \"other\""));
  CHECK(has(file_error(R"({"format": "ooc-paleo/network", "version": 2, "name": "x"})"),
            "/version: found 2, expected 1"));
  CHECK(has(file_error(file(kInputs)), "no \"layers\""));
  CHECK(has(file_error(file(kReaderLayers)), "no \"inputs\""));
  CHECK(has(file_error(file(kInputs + R"(, "layers": [])")), "/layers: found an empty list"));
  CHECK(has(file_error(file(R"(, "inputs": [])" + kReaderLayers)), "/inputs: found an empty list"));
  CHECK(has(file_error(file(R"(, "inputs": [{"name": "data", "shape": []}])" + kReaderLayers)),
            "/inputs/0/shape"));
  CHECK(has(file_error(file(R"(, "inputs": [{"name": "data", "shape": [3, 0]}])" + kReaderLayers)),
            "/inputs/0/shape/1: found 0"));
  CHECK(has(file_error(file(R"(, "inputs": [{"name": "data", "shape": [-3]}])" + kReaderLayers)),
            "/inputs/0/shape/0: found -3"));
  CHECK(has(file_error(file(R"(, "inputs": [{"name": "a", "shape": [3]},
                                                 {"name": "a", "shape": [3]}])" +
                            kReaderLayers)),
            "/inputs/1/name: found a second input named \"a\""));
  CHECK(has(network_error(kRelu, R"(, "batch": 0)"), "/batch: found 0"));
  CHECK(has(network_error(kRelu, R"(, "dtype": "float23")"), "did you mean \"float32\"?"));
  CHECK(has(network_error(kRelu, R"(, "expct": {})"), "did you mean \"expect\"?"));
  CHECK(has(network_error(kRelu, R"(, "outputs": [])"), "/outputs: found an empty list"));
}

TEST_CASE("unknown keys and kinds are refused with the nearest known ones") {
  CHECK(has(network_error(R"({"name": "c", "type": "conv", "filters": 4, "kernl": [3, 3]})"),
            "\"kernl\" meant to be it"));
  const std::string key =
      network_error(R"({"name": "c", "type": "conv", "filters": 4, "kernel": [3, 3], "strid": 2})");
  CHECK(has(key, "/layers/0/strid: found unknown key \"strid\""));
  CHECK(has(key, "did you mean \"stride\"?"));
  const std::string kind = network_error(R"({"name": "c", "type": "convv"})");
  CHECK(has(kind, "/layers/0/type: found \"convv\""));
  CHECK(has(kind, "did you mean \"conv\"?"));
  CHECK(has(network_error(R"({"name": "c"})"), "no \"type\""));
  CHECK(has(network_error(R"({"type": "relu"})"), "no \"name\""));
}

TEST_CASE("a network's name is as short as a layer's") {
  const auto named = [](std::size_t length) {
    return file_error(R"({"format": "ooc-paleo/network", "version": 1, "name": ")" +
                      std::string(length, 'n') + "\"" + kInputs + kReaderLayers + "}");
  };
  CHECK(named(200).empty());
  CHECK(has(named(201), "/name: found a name of 201 characters"));
  CHECK(has(named(0), "/name: found a name of 0 characters"));
}

TEST_CASE("names are unique, short and plain") {
  CHECK(has(network_error(kRelu + "," + kReaderConv + "," + kRelu),
            "/layers/2: found a second layer named \"relu\""));
  CHECK(has(network_error(kRelu + "," + kRelu), "the first is /layers/0"));
  CHECK(has(network_error(R"({"name": "data", "type": "relu"})"),
            "a name that no input of the network has"));
  CHECK(has(network_error(R"({"name": "a/b", "type": "relu"})"), "without \"/\""));
  CHECK(has(network_error(R"({"name": "@b", "type": "relu"})"), "start with \"@\""));
  CHECK(has(network_error(R"({"name": "", "type": "relu"})"), "a name of 0 characters"));
  const auto named = [](std::size_t length) {
    return network_error(R"({"name": ")" + std::string(length, 'n') + R"(", "type": "relu"})");
  };
  CHECK(named(200).empty());
  CHECK(has(named(201), "a name of 201 characters"));
  std::string accents;
  for (int i = 0; i < 200; ++i) accents += "é";  // two bytes each, one character
  CHECK(network_error(R"({"name": ")" + accents + R"(", "type": "relu"})").empty());
}

TEST_CASE("an unknown producer is refused with the nearest known one") {
  const std::string error =
      network_error(kReaderConv + R"(, {"name": "r", "type": "relu", "inputs": ["cnv"]})");
  CHECK(has(error, "/layers/1/inputs/0: found \"cnv\""));
  CHECK(has(error, "did you mean \"conv\"?"));
  CHECK(has(network_error(R"({"name": "r", "type": "relu", "inputs": ["dta"]})"),
            "did you mean \"data\"?"));
  CHECK(has(network_error(R"({"name": "r", "type": "relu", "inputs": []})"),
            "/layers/0/inputs: found an empty list"));
  CHECK(has(network_error(R"({"name": "r", "type": "relu", "inputs": ["@input"]})"),
            "only inside a repeat"));
  CHECK(has(network_error(kRelu, R"(, "outputs": ["relo"])"), "did you mean \"relu\"?"));
  CHECK(has(network_error(kRelu, R"(, "outputs": ["data"])"), "/outputs/0"));
  CHECK(has(network_error(kRelu, R"(, "outputs": ["relu", "relu"])"),
            "/outputs/1: found \"relu\" again"));
}

TEST_CASE("a layer that nothing reads must be an output") {
  const std::string error =
      network_error(kReaderConv + R"(, {"name": "r", "type": "relu", "inputs": ["data"]})");
  CHECK(has(error, "/layers/0: found layer \"conv\" that no layer reads"));
  CHECK(
      has(network_error(kReaderConv + "," + kRelu, R"(, "outputs": ["conv"])"), "layer \"relu\""));
}

TEST_CASE("a cycle is named") {
  const std::string error = network_error(R"(
      {"name": "start", "type": "add", "inputs": ["data", "end"]},
      {"name": "middle", "type": "relu"},
      {"name": "end", "type": "relu"},
      {"name": "after", "type": "relu"})");
  CHECK(has(error, "/layers/0: found a cycle: start -> middle -> end -> start"));
  CHECK(has(network_error(R"({"name": "r", "type": "relu", "inputs": ["r"]})"), "a cycle: r -> r"));
}

TEST_CASE("the shortest cycle through a stuck layer is named, not its followers") {
  // 0 <- 4 <- 3 <- 2 <- 1 <- 0 and the short cut 2 <- 0 <- 2... : 0 reads 2, 2 reads 0.
  const std::vector<std::vector<LayerId>> producers{{LayerId{2}, LayerId{4}},
                                                    {LayerId{0}},
                                                    {LayerId{1}, LayerId{0}},
                                                    {LayerId{2}},
                                                    {LayerId{3}},
                                                    {LayerId{4}}};
  const auto order = topological_order(producers);
  const auto* cycle = std::get_if<Cycle>(&order);
  REQUIRE(cycle != nullptr);
  CHECK(cycle->layers.size() == 2);
}

TEST_CASE("shapes that do not match name both producers") {
  const std::string pool =
      R"({"name": "pool", "type": "max_pool", "kernel": 2, "inputs": ["data"]})";
  const std::string add = network_error(
      kReaderConv + "," + pool + R"(, {"name": "sum", "type": "add", "inputs": ["conv", "pool"]})");
  CHECK(has(add, R"(/layers/2: found "conv" (4x8x8) and "pool" (4x4x4))"));
  const std::string concat = network_error(
      kReaderConv + "," + pool +
      R"(, {"name": "both", "type": "concat", "axis": 0, "inputs": ["data", "pool"]})");
  CHECK(has(concat, R"("data" (4x8x8) and "pool" (4x4x4))"));
}

TEST_CASE("a kernel larger than its padded input is refused") {
  CHECK(has(network_error(R"({"name": "c", "type": "conv", "filters": 1, "kernel": [11, 11],
                                   "padding": [1, 1]})"),
            "/layers/0/kernel: found a kernel that covers 11 pixels"));
}

TEST_CASE("sums that overflow are refused") {
  CHECK(has(file_error(file(R"(, "inputs": [{"name": "data", "shape": [16777216, 16777216]}])" +
                            kReaderLayers)),
            "2^48 bytes"));
  // Weights of 2^23 x 2^22 x 4 bytes = 2^47 in each of 512 layers are 2^56.
  const std::string big = R"({"name": "up", "type": "linear", "units": 8388608, "bias": false},
      {"name": "down", "type": "linear", "units": 4194304, "bias": false})";
  const auto repeated = [&](const std::string& times) {
    return file_error(file(R"(, "inputs": [{"name": "data", "shape": [4194304]}], "layers": [
        {"name": "r", "type": "repeat", "times": )" +
                           times + R"(, "layers": [)" + big + "]}]"));
  };
  CHECK(repeated("255").empty());
  CHECK(
      has(repeated("256"), "2^56 bytes of parameters or more in all layers up to \"r/255/down\""));
}

TEST_CASE("AlexNet has its published parameters and multiply-accumulates") {
  const Network alexnet = read_network_file(OOC_SOURCE_DIR "/networks/alexnet.json");
  CHECK(total_parameters(alexnet) == 61100840);
  CHECK(total_forward_macs(alexnet) == 714188480);
}
