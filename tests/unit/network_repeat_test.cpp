// Repeats: unrolling, names, scopes, limits.
#include "tests/support/test.hpp"
#include "tests/unit/network_support.hpp"

using namespace ooc;
using RepeatLines = std::vector<std::string>;
using Dims = std::vector<std::int64_t>;

namespace {

std::string repeat(const std::string& head, const std::string& layers) {
  return R"({"type": "repeat", )" + head + R"(, "layers": [)" + layers + "]}";
}

std::string layer(const std::string& name, const std::string& type,
                  const std::string& inputs = "") {
  return R"({"name": ")" + name + R"(", "type": ")" + type + "\"" +
         (inputs.empty() ? "" : R"(, "inputs": [)" + inputs + "]") + "}";
}

}  // namespace

TEST_CASE("a residual block repeats with what enters each copy") {
  const std::string block =
      layer("body", "gelu") + "," + layer("sum", "add", R"("body", "@input")");
  const Network network =
      read_layers(layer("stem", "relu") + "," + repeat(R"("name": "deep", "times": 3)", block) +
                  "," + layer("head", "add", R"("deep", "stem")"));
  CHECK(wiring(network) ==
        RepeatLines{"stem: data", "deep/0/body: stem", "deep/0/sum: deep/0/body stem",
                    "deep/1/body: deep/0/sum", "deep/1/sum: deep/1/body deep/0/sum",
                    "deep/2/body: deep/1/sum", "deep/2/sum: deep/2/body deep/1/sum",
                    "head: deep/2/sum stem"});
}

TEST_CASE("nested repeats are named outer first") {
  const Network network = read_layers(
      repeat(R"("name": "a", "times": 2)",
             repeat(R"("name": "b", "times": 2)", layer("x", "relu")) + "," + layer("y", "relu")) +
      "," + layer("end", "relu"));
  CHECK(wiring(network) == RepeatLines{"a/0/b/0/x: data", "a/0/b/1/x: a/0/b/0/x",
                                       "a/0/y: a/0/b/1/x", "a/1/b/0/x: a/0/y",
                                       "a/1/b/1/x: a/1/b/0/x", "a/1/y: a/1/b/1/x", "end: a/1/y"});
}

TEST_CASE("names resolve in the same copy first, then outside") {
  // Inside r "x" is the copy's own, outside the first layer; "far" is known only outside.
  const std::string block =
      layer("x", "relu", R"("@input")") + "," + layer("y", "add", R"("x", "far")");
  const Network network = read_layers(layer("x", "relu") + "," + layer("far", "relu") + "," +
                                      repeat(R"("name": "r", "times": 2)", block) + "," +
                                      layer("end", "add", R"("r", "x")"));
  CHECK(wiring(network) == RepeatLines{"x: data", "far: x", "r/0/x: far", "r/0/y: r/0/x far",
                                       "r/1/x: r/0/y", "r/1/y: r/1/x far", "end: r/1/y x"});
}

TEST_CASE("a repeat that scales has the copies asked for; expectations are then not kept") {
  const std::string text = R"({"format": "ooc-paleo/network", "version": 1, "name": "n",
    "inputs": [{"name": "data", "shape": [4]}], "layers": [)" +
                           repeat(R"("name": "fixed", "times": 2)", layer("x", "relu")) + "," +
                           repeat(R"("name": "deep", "times": 3, "scale": true)",
                                  R"({"name": "y", "type": "linear", "units": 4})") +
                           R"(], "expect": {"parameters": 60}})";
  const SpecDocument document = read_spec_text(text, "n.json");
  const Network as_written = read_network(document);
  REQUIRE(as_written.scaling.size() == 1);
  CHECK(as_written.scaling[0].name == "deep");
  CHECK(as_written.scaling[0].copies == 3);
  CHECK(as_written.layers.size() == 2 + 3);
  const Network deeper = read_network(document, {.limits = {}, .dtype = {}, .copies = 7});
  CHECK(deeper.scaling[0].copies == 7);
  CHECK(deeper.layers.size() == 2 + 7);
  CHECK(total_parameters(deeper) == 7 * 20);
}

TEST_CASE("a repeat without a name is called after its place in the list") {
  const Network network =
      read_layers(layer("x", "relu") + "," + repeat(R"("times": 2)", layer("y", "relu")));
  CHECK(wiring(network)[2] == "repeat1/1/y: repeat1/0/y");
}

TEST_CASE("a repeat may say what enters it") {
  const Network network =
      read_layers(layer("x", "relu") + "," + layer("y", "relu") + "," +
                  repeat(R"("name": "r", "times": 2, "inputs": ["x"])", layer("z", "relu")) + "," +
                  layer("end", "add", R"("r", "y")"));
  CHECK(wiring(network)[2] == "r/0/z: x");
  CHECK(wiring(network)[3] == "r/1/z: r/0/z");
  CHECK(has(network_error(layer("x", "relu") + "," +
                          repeat(R"("times": 2, "inputs": ["x", "data"])", layer("z", "relu"))),
            "one: what enters the first copy"));
}

TEST_CASE("layers of a copy can be named from outside") {
  const std::string block = layer("a", "relu") + "," + layer("b", "relu");
  const Network network = read_layers(repeat(R"("name": "r", "times": 2)", block) + "," +
                                          layer("end", "add", R"("r/0/a", "r/1/b")"),
                                      R"(, "outputs": ["end", "r/1/a"])");
  CHECK(wiring(network)[4] == "end: r/0/a r/1/b");
  CHECK(network.outputs == std::vector<LayerId>{LayerId{4}, LayerId{2}});
  for (const std::string wrong : {"r/2/a", "r/0", "r/0/c", "r/-1/a", "r/x/a", "r/0/a/0/b", "r/"}) {
    CAPTURE(wrong);
    CHECK(has(network_error(repeat(R"("name": "r", "times": 2)", block) + "," +
                            layer("end", "relu", "\"" + wrong + "\"")),
              "found \"" + wrong + "\""));
  }
}

TEST_CASE("copies, and layers that say the same of themselves, share what they are") {
  const Network network = read_layers(
      repeat(R"("name": "r", "times": 3)", R"({"name": "a", "type": "gelu"})") +
      R"(, {"name": "b", "type": "gelu", "inputs": ["r"]}, {"type": "gelu", "name": "c"},
         {"name": "d", "type": "dropout", "rate": 0.5}, {"name": "e", "type": "dropout", "rate": 0.4})");
  for (std::size_t i = 1; i < 5; ++i) CHECK(network.layers[i].model == network.layers[0].model);
  CHECK(network.layers[5].model != network.layers[6].model);
  // What was not read again is still judged: an unknown key is no difference that is overlooked.
  CHECK(
      has(network_error(R"({"name": "a", "type": "gelu"}, {"name": "b", "type": "gelu", "x": 1})"),
          "/layers/1/x"));
}

TEST_CASE("copies that see other shapes are inferred anew") {
  const Network network = read_layers(
      repeat(R"("name": "r", "times": 3)", R"({"name": "pool", "type": "max_pool", "kernel": 2})"));
  CHECK(network.layers[0].model->output.dims == Dims{4, 4, 4});
  CHECK(network.layers[1].model->output.dims == Dims{4, 2, 2});
  CHECK(network.layers[2].model->output.dims == Dims{4, 1, 1});
  const std::string error = network_error(
      repeat(R"("name": "r", "times": 4)", R"({"name": "pool", "type": "max_pool", "kernel": 2})"));
  CHECK(has(error, "/layers/0/layers/0/kernel"));
  CHECK(has(error, "layer r/3/pool"));
}

TEST_CASE("a repeat is checked before it is unrolled") {
  const auto error = [](const std::string& head, const std::string& layers) {
    return network_error(repeat(head, layers));
  };
  const std::string one = layer("x", "relu");
  CHECK(has(error(R"("times": 0)", one), "/layers/0/times: found 0"));
  CHECK(has(error(R"("times": 100001)", one), "/layers/0/times: found 100001"));
  CHECK(has(error(R"("times": 2)", ""), "/layers/0/layers: found an empty list"));
  CHECK(has(error(R"("times": 2, "tims": 3)", one), "did you mean \"times\"?"));
  CHECK(has(network_error(R"({"type": "repeat", "times": 2})"), "no \"layers\""));
  CHECK(has(error(R"("times": 2)", one + "," + one), "a second layer named \"x\""));
  CHECK(has(error(R"("times": 2)", layer("x", "relu", R"("y")")), "found \"y\""));
  CHECK(has(error(R"("times": 2)", layer("x", "gelu") + "," + layer("y", "relu", R"("@input")")),
            "layer \"repeat0/0/x\" that no layer reads"));
  CHECK(has(error(R"("name": "r", "times": 2)", layer("x", "relu", R"("r")")),
            "a cycle: r/1/x -> r/1/x"));
}

TEST_CASE("nested repeats that multiply beyond the limit are refused at once") {
  // 2^25 layers in a file of 1 KB: 25 levels stay within the depth limit of 64.
  std::string nest = layer("x", "relu");
  for (int level = 0; level < 25; ++level) nest = repeat(R"("times": 2)", nest);
  CHECK(has(network_error(nest),
            "/times: found 1048576 layers once repeats are unrolled, expected at most"));
  for (int level = 25; level < 50; ++level) nest = repeat(R"("times": 2)", nest);
  CHECK(has(network_error(nest), "a nesting depth of at most 64"));
  // Two repeats that fit one by one and not together.
  const std::string half =
      repeat(R"("times": 100000)", layer("a", "relu") + "," + layer("b", "relu") + "," +
                                       layer("c", "relu") + "," + layer("d", "relu") + "," +
                                       layer("e", "relu") + "," + layer("f", "relu"));
  CHECK(has(network_error(half + "," + half), "/layers/1: found 1200000 layers"));
}

TEST_CASE("nesting down to the reader's depth limit works") {
  // An object and a list per level: 30 levels, the root and its list, and the layer are 63.
  std::string nest = layer("x", "relu");
  for (int level = 0; level < 30; ++level) nest = repeat(R"("times": 1)", nest);
  CHECK(read_layers(nest).layers.size() == 1);
}

TEST_CASE("a hundred thousand copies are read in order") {
  const Network network =
      read_layers(repeat(R"("name": "r", "times": 100000)",
                         layer("a", "relu") + "," + layer("b", "add", R"("a", "@input")")));
  CHECK(network.layers.size() == 200000);
  CHECK(network.layers.back().name == "r/99999/b");
  CHECK(network.layers.back().model->output.dims == Dims{4, 8, 8});
  CHECK(producer_name(network, network.layers.back().inputs[1]) == "r/99998/b");
  for (std::size_t i = 0; i < network.execution_order.size(); ++i) {
    if (network.execution_order[i].at() != i) FAIL("not in file order");
  }
}
