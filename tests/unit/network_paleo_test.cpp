// Networks in PALEO's own form. Whole ones are compared with PALEO in tests/validation/paleo_test.cpp.
#include "tests/support/test.hpp"
#include "tests/unit/network_support.hpp"

using namespace ooc;
using PaleoLines = std::vector<std::string>;

namespace {

std::string paleo(const std::string& layers) {
  return R"({"name": "tiny", "layers": {"data": {"parents": [], "type": "Input", "tensor": [8, 6, 5, 3]},)" +
         layers + "}}";
}
std::string conv(const std::string& parent, const std::string& more) {
  return R"({"type": "Convolution", "parents": [")" + parent +
         R"("], "filter": [3, 3, 3, 4], "strides": [1, 1, 1, 1], "padding": "SAME")" + more + "}";
}

}  // namespace

TEST_CASE("PALEO's layers become ours, with batch norms and activations behind them") {
  const Network network =
      read_network_text(paleo(R"("a": )" + conv("data", R"(, "normalizer_fn": "batch_norm")") + R"(,
        "mix": {"type": "Block", "parents": ["a"], "endpoint": "out", "layers": {
          "b1/pool": {"type": "AvgPool", "parents": [], "ksize": [1, 3, 3, 1], "strides": [1, 1, 1, 1], "padding": "SAME"},
          "out": {"type": "Concatenate", "parents": ["b1/pool", "b1/pool"], "dim": 3}}},
        "half": {"type": "ModelParallel", "parents": ["mix"], "splits": 2, "layers": {
          "c": {"type": "Convolution", "parents": [], "filter": [1, 1, 8, 6], "strides": [1, 2, 2, 1],
                "padding": "VALID", "activation_fn": null},
          "all": {"type": "Concatenate", "parents": ["c@all"], "dim": 3},
          "keep": {"type": "Dropout", "parents": ["all@self"], "dropout_keep_prob": 0.75}}},
        "sum": {"type": "Elementwise", "parents": ["half/keep@all"]},
        "fc": {"type": "InnerProduct", "parents": ["sum"], "num_outputs": 10})"),
                        "tiny.json");
  CHECK(network.batch == 8);
  CHECK(network.inputs.front().shape.dims == std::vector<std::int64_t>{3, 6, 5});
  CHECK(wiring(network) ==
        PaleoLines{"a: data", "a.batch_norm: a", "a.relu: a.batch_norm", "mix.b1.pool: a.relu",
                   "mix.out: mix.b1.pool mix.b1.pool", "half.c@0: mix.out", "half.c@1: mix.out",
                   "half.all@0: half.c@0 half.c@1", "half.all@1: half.c@0 half.c@1",
                   "half.keep@0: half.all@0", "half.keep@1: half.all@1",
                   "sum: half.keep@0 half.keep@1", "fc.flatten: sum", "fc: fc.flatten"});
  // 27 x 4 + 4; 2 x (8 x 3 + 3); (6 x 3 x 3) x 10 + 10. Slim's batch norm has the bias alone.
  CHECK(total_parameters(network) == 112 + 54 + 550);
}

TEST_CASE("what is wrong in a file of PALEO's form is named in that file") {
  const auto error = [](const std::string& layers) { return file_error(paleo(layers)); };
  CHECK(error(R"("a": )" + conv("data", "")).empty());
  CHECK(has(error(R"("a": )" + conv("data", "") + R"(, "b": )" + conv("a", "")),
            "/layers/b/filter: found 3 input channels, expected 4, those of \"a\""));
  CHECK(has(error(R"("a": )" + conv("data@all", "")),
            "/layers/a/parents: found \"data@all\", expected names of layers above"));
  CHECK(has(error(R"("a": )" + conv("data", R"(, "activation": null)")),
            "/layers/a/activation: found unknown"));
  CHECK(has(error(R"("a": )" + conv("data", R"(, "activation_fn": "swish")")), "/activation_fn"));
  CHECK(
      has(error(R"("a": {"type": "Convolve", "parents": ["data"]})"), "expected one of \"Input\""));
  CHECK(has(error(R"("a": {"type": "Softmax", "parents": []})"), "found an empty list"));
}
