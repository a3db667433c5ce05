// Pools: positions, what they save, their work natively and after PALEO.
#include "tests/support/test.hpp"
#include "tests/unit/layers_support.hpp"

using namespace ooc;
using Counts = std::vector<std::int64_t>;
using Dims = std::vector<std::int64_t>;

TEST_CASE("a max pool saves input and output and reads both backward") {
  const LayerModel pool = read_layer(R"({"type": "max_pool", "kernel": [2, 3]})", {{{2, 4, 6}}});
  CHECK(pool.output.dims == Dims{2, 2, 2});  // the stride is the kernel
  // in 48, out 8 elements, 6 pixels a window: 48 FLOPs, (48 + 8) x 4 = 224 bytes, backward twice.
  CHECK(counts(pool.work.forward) == Counts{48, 224, 0});
  CHECK(counts(pool.work.backward_data) == Counts{48, 448, 0});
  CHECK(counts(pool.work.backward_weights) == Counts{0, 0, 0});
  CHECK(counts(pool.paleo_work.forward) == Counts{96, 224, 0});
  CHECK(counts(pool.paleo_work.backward_data) == Counts{96, 224, 0});
  CHECK(pool.saves.inputs);
  CHECK(pool.saves.output);
  CHECK(pool.parameters == 0);
  CHECK(pool.backward_form == BackwardForm::kFused);
  CHECK(pool.is_feature_extractor);
  CHECK_FALSE(pool.is_convolution);
}

TEST_CASE("an average pool saves nothing and reads only the gradient backward") {
  const LayerModel pool =
      read_layer(R"({"type": "avg_pool", "kernel": 3, "stride": 1, "padding": 1})", {{{2, 4, 6}}});
  CHECK(pool.output.dims == Dims{2, 4, 6});
  CHECK(counts(pool.work.forward) == Counts{432, 384, 0});  // 48 x 9; 96 x 4
  CHECK(counts(pool.work.backward_data) == Counts{432, 384, 0});
  CHECK_FALSE(pool.saves.inputs);
  CHECK_FALSE(pool.saves.output);
  CHECK_FALSE(pool.is_view);
}

TEST_CASE("ceil adds the last window unless it begins behind the input") {
  const auto size = [](const std::string& rest, std::int64_t input) {
    return read_layer(R"({"type": "max_pool", )" + rest + "}", {{{1, input}}}).output.dims.at(1);
  };
  CHECK(size(R"("kernel": 3, "stride": 2)", 112) == 55);                // floor(109 / 2) + 1
  CHECK(size(R"("kernel": 3, "stride": 2, "ceil": true)", 112) == 56);  // ceil(109 / 2) + 1
  CHECK(size(R"("kernel": 3, "stride": 2, "ceil": true)", 7) == 3);     // divides: no more
  // Windows at -1, 2 and 5 of 0 .. 4: ceil((5 + 2 - 3) / 3) + 1 = 3, but the third begins behind.
  CHECK(size(R"("kernel": 3, "stride": 3, "padding": 1, "ceil": true)", 5) == 2);
  CHECK(size(R"("kernel": 3, "stride": 3, "padding": 1, "ceil": true)", 6) == 3);
  CHECK(size(R"("kernel": 3, "stride": 2, "padding": "same")", 112) == 56);
}

TEST_CASE("a pool says what is wrong with its attributes") {
  const auto error = [](const std::string& rest) {
    return layer_error(R"({"type": "avg_pool", )" + rest + "}", {{{1, 4, 4}}});
  };
  CHECK(has(error(R"("kernel": 5)"), "at most the padded input, 4 pixels"));
  CHECK(has(error(R"("kernel": 2, "padding": 2)"), "less than the kernel, 2"));
  CHECK(has(error(R"("kernel": 2, "padding": "same", "ceil": true)"), "/ceil"));
  CHECK(has(error(R"("kernel": 2, "dilation": 2)"), "unknown key \"dilation\""));
  CHECK(has(error(R"("stride": 2)"), "no \"kernel\""));
}

TEST_CASE("a 1x1 average pool is a view and a 1x1 max pool is not") {
  CHECK(read_layer(R"({"type": "avg_pool", "kernel": [1, 1]})", {{{2, 4, 4}}}).is_view);
  CHECK_FALSE(
      read_layer(R"({"type": "avg_pool", "kernel": 1, "stride": 2})", {{{2, 4, 4}}}).is_view);
  CHECK_FALSE(read_layer(R"({"type": "max_pool", "kernel": 1})", {{{2, 4, 4}}}).is_view);
}

TEST_CASE("a global average pool leaves one number per channel") {
  const LayerModel pool = read_layer(R"({"type": "global_avg_pool"})", {{{3, 4, 5}}});
  CHECK(pool.output.dims == Dims{3});
  CHECK(counts(pool.work.forward) == Counts{60, 252, 0});  // 60 pixels; (60 + 3) x 4
  CHECK(counts(pool.paleo_work.forward) == Counts{120, 252, 0});
  CHECK_FALSE(pool.is_view);
  CHECK(read_layer(R"({"type": "global_avg_pool"})", {{{3, 1, 1}}}).is_view);
  CHECK(has(layer_error(R"({"type": "global_avg_pool"})", {{{3}}}), "spatial"));
}

TEST_CASE("an adaptive average pool visits a pixel twice where windows overlap") {
  // 5 -> 3: windows 0-1, 1-3, 3-4 are 2 + 3 + 2 = 7 pixels; 4 -> 2: 2 + 2 = 4.
  const LayerModel pool =
      read_layer(R"({"type": "adaptive_avg_pool", "output": [3, 2]})", {{{2, 5, 4}}});
  CHECK(pool.output.dims == Dims{2, 3, 2});
  CHECK(counts(pool.work.forward) == Counts{56, 208, 0});  // 2 x 7 x 4; (40 + 12) x 4
  CHECK_FALSE(pool.is_view);
  CHECK(read_layer(R"({"type": "adaptive_avg_pool", "output": 4})", {{{2, 4, 4}}}).is_view);
  CHECK(has(layer_error(R"({"type": "adaptive_avg_pool", "output": [1, 0]})", {{{2, 4, 4}}}),
            "/output/1: found 0"));
  CHECK(has(layer_error(R"({"type": "adaptive_avg_pool"})", {{{2, 4, 4}}}), "no \"output\""));
}
