// Layers that join several tensors, views, layers that only move data, and custom layers.
#include "tests/support/test.hpp"
#include "tests/unit/layers_support.hpp"

using namespace ooc;
using Counts = std::vector<std::int64_t>;
using Dims = std::vector<std::int64_t>;

namespace {

const TensorShape kJoinImage{{2, 3, 4}};  // 24 elements, 96 bytes

}  // namespace

TEST_CASE("add reads every input and states its backward work per copy") {
  const LayerModel add = read_layer(R"({"type": "add"})", {kJoinImage, kJoinImage, kJoinImage});
  CHECK(add.output == kJoinImage);
  CHECK(counts(add.work.forward) == Counts{48, 384, 0});       // two additions; three in, one out
  CHECK(counts(add.work.backward_data) == Counts{0, 192, 0});  // one copy: a read and a write
  CHECK(add.gradient_form == GradientForm::kAliasOrCopy);
  CHECK_FALSE(add.saves.inputs);
  CHECK_FALSE(add.saves.output);
  CHECK(has(layer_error(R"({"type": "add"})", {kJoinImage}), "two inputs or more"));
}

TEST_CASE("add and concat name the producers whose shapes do not match") {
  const std::string add = layer_error(R"({"type": "add"})", {kJoinImage, {{2, 3, 5}}});
  CHECK(has(add, R"("left" (2x3x4) and "right" (2x3x5))"));
  const std::string concat = layer_error(R"({"type": "concat"})", {kJoinImage, {{2, 3, 5}}});
  CHECK(has(concat, R"("left" (2x3x4) and "right" (2x3x5))"));
  CHECK(has(concat, "all dimensions but axis 0"));
  CHECK(has(layer_error(R"({"type": "concat"})", {kJoinImage, {{2, 3}}}), R"("right" (2x3))"));
}

TEST_CASE("multiply saves its inputs and spreads one number per channel") {
  const LayerModel same = read_layer(R"({"type": "multiply"})", {kJoinImage, kJoinImage});
  CHECK(counts(same.work.forward) == Counts{24, 288, 0});
  CHECK(counts(same.work.backward_data) == Counts{48, 480, 0});  // dY, two inputs, two gradients
  CHECK(same.saves.inputs);
  for (const TensorShape& gate : {TensorShape{{2}}, TensorShape{{2, 1, 1}}}) {
    const LayerModel gated = read_layer(R"({"type": "multiply"})", {gate, kJoinImage});
    CHECK(gated.output == kJoinImage);
    CHECK(counts(gated.work.forward) == Counts{24, 200, 0});        // 2 + 24 + 24 elements
    CHECK(counts(gated.work.backward_data) == Counts{72, 304, 0});  // 24 + 2 (2 + 24) elements
  }
  CHECK(has(layer_error(R"({"type": "multiply"})", {kJoinImage, {{3, 1, 1}}}),
            R"("left" (2x3x4) and "right" (3x1x1))"));
  CHECK(has(layer_error(R"({"type": "multiply"})", {kJoinImage, {{2, 3}}}), "per channel"));
}

TEST_CASE("concat copies forward and slices backward") {
  const LayerModel concat = read_layer(R"({"type": "concat"})", {kJoinImage, {{5, 3, 4}}});
  CHECK(concat.output.dims == Dims{7, 3, 4});
  CHECK(counts(concat.work.forward) == Counts{0, 672, 0});  // 84 elements in and out
  CHECK(counts(concat.work.backward_data) == Counts{0, 0, 0});
  CHECK(concat.gradient_form == GradientForm::kSlices);
  CHECK(read_layer(R"({"type": "concat", "axis": 2})", {kJoinImage, kJoinImage}).output.dims ==
        Dims{2, 3, 8});
  CHECK(has(layer_error(R"({"type": "concat", "axis": 3})", {kJoinImage, kJoinImage}),
            "/axis: found 3"));
}

TEST_CASE("flatten and reshape are views") {
  const LayerModel flat = read_layer(R"({"type": "flatten"})", {kJoinImage});
  CHECK(flat.output.dims == Dims{24});
  CHECK(flat.is_view);
  CHECK(counts(flat.work.forward) == Counts{0, 0, 0});
  const LayerModel open = read_layer(R"({"type": "reshape", "shape": [6, -1]})", {kJoinImage});
  CHECK(open.output.dims == Dims{6, 4});
  CHECK(open.is_view);
  CHECK(read_layer(R"({"type": "reshape", "shape": [24]})", {kJoinImage}).output.dims == Dims{24});
  const auto error = [](const std::string& shape) {
    return layer_error(R"({"type": "reshape", "shape": )" + shape + "}", {kJoinImage});
  };
  CHECK(has(error("[5, -1]"), "24 elements of the input (2x3x4)"));
  CHECK(has(error("[5, 5]"), "found 25 elements"));
  CHECK(has(error("[-1, -1]"), "a second -1"));
  CHECK(has(error("[0, 24]"), "/shape/0: found 0"));
  CHECK(has(error("[]"), "/shape"));
}

TEST_CASE("transpose permutes the axes of a sample") {
  const LayerModel turned = read_layer(R"({"type": "transpose", "axes": [2, 0, 1]})", {kJoinImage});
  CHECK(turned.output.dims == Dims{4, 2, 3});
  CHECK(counts(turned.work.forward) == Counts{0, 192, 0});
  CHECK(counts(turned.work.backward_data) == Counts{0, 192, 0});
  CHECK_FALSE(turned.is_view);
  CHECK_FALSE(turned.saves.inputs);
  CHECK(read_layer(R"({"type": "transpose", "axes": [0, 1, 2]})", {kJoinImage}).is_view);
  CHECK(has(layer_error(R"({"type": "transpose", "axes": [0, 0, 1]})", {kJoinImage}),
            "axis 0 again"));
  CHECK(has(layer_error(R"({"type": "transpose", "axes": [1, 0]})", {kJoinImage}), "all 3 axes"));
  CHECK(has(layer_error(R"({"type": "transpose", "axes": [0, 1, 3]})", {kJoinImage}), "/axes/2"));
}

TEST_CASE("slice takes a range of one axis") {
  const LayerModel slice =
      read_layer(R"({"type": "slice", "axis": 1, "begin": 1, "end": 3})", {kJoinImage});
  CHECK(slice.output.dims == Dims{2, 2, 4});
  CHECK(counts(slice.work.forward) == Counts{0, 128, 0});        // 16 in, 16 out
  CHECK(counts(slice.work.backward_data) == Counts{0, 160, 0});  // 16 in, 24 out
  CHECK(read_layer(R"({"type": "slice", "axis": 0, "begin": 0, "end": 2})", {kJoinImage}).is_view);
  const auto error = [](const std::string& rest) {
    return layer_error(R"({"type": "slice", )" + rest + "}", {kJoinImage});
  };
  CHECK(has(error(R"("axis": 1, "begin": 2, "end": 2)"), "/end: found 2"));
  CHECK(has(error(R"("axis": 1, "begin": 0, "end": 4)"), "/end: found 4"));
  CHECK(has(error(R"("axis": 1, "begin": 3, "end": 4)"), "/begin: found 3"));
  CHECK(has(error(R"("axis": 3, "begin": 0, "end": 1)"), "/axis: found 3"));
}

TEST_CASE("upsample enlarges the spatial dimensions") {
  const LayerModel near = read_layer(R"({"type": "upsample", "scale": 2})", {kJoinImage});
  CHECK(near.output.dims == Dims{2, 6, 8});
  CHECK(counts(near.work.forward) == Counts{0, 480, 0});  // 24 + 96 elements
  CHECK(counts(near.work.backward_data) == Counts{96, 480, 0});
  const LayerModel blend =
      read_layer(R"({"type": "upsample", "scale": [1, 2], "mode": "bilinear"})", {kJoinImage});
  CHECK(blend.output.dims == Dims{2, 3, 8});
  CHECK(counts(blend.work.forward) == Counts{384, 288, 0});  // 48 x 4 neighbours x 2
  CHECK(counts(blend.work.backward_data) == Counts{384, 288, 0});
  CHECK(read_layer(R"({"type": "upsample", "scale": 1})", {kJoinImage}).is_view);
  CHECK(has(layer_error(R"({"type": "upsample", "scale": 2, "mode": "nearst"})", {kJoinImage}),
            "did you mean \"nearest\"?"));
  CHECK(has(layer_error(R"({"type": "upsample", "scale": 0})", {kJoinImage}), "/scale: found 0"));
}

TEST_CASE("a custom layer may state its work a sample in place of times") {
  const std::string text = R"({"type": "custom", "output_shape": [4], "forward_flops": 5, "forward_elements": 6,
    "backward_flops": 7, "backward_elements": 8, "saved_elements": 9, "forward_macs": 2, "saves": "none",
    "parameters": 2})";
  const LayerModel layer = read_layer(text, {kJoinImage});
  CHECK_FALSE(layer.custom);
  CHECK_FALSE(layer.is_convolution);
  CHECK(counts(layer.work.forward) == Counts{5, 24, 8});         // 6 x 4 bytes; 2 weights x 4
  CHECK(counts(layer.work.backward_data) == Counts{7, 32, 16});  // weights read, gradients written
  CHECK(layer.saves.reserve_bytes == 36);
  CHECK(layer.forward_macs == 2);
  const std::string more = std::string(text).replace(text.find("macs\": 2"), 8, "macs\": 3");
  CHECK(has(layer_error(more, {kJoinImage}), "/forward_macs: found 3"));  // 2 FLOPs each
  CHECK(has(layer_error(R"({"type": "custom", "output_shape": [1], "forward_elements": 6})", {kJoinImage}),
            "no \"forward_flops\""));
}

TEST_CASE("a custom layer states its own costs") {
  const LayerModel layer = read_layer(R"({"type": "custom", "output_shape": [250000000],
    "forward_time": "50 ms", "backward_time": "100 ms", "parameters": 7, "workspace": "1 KiB"})",
                                      {kJoinImage});
  CHECK(layer.output.dims == Dims{250000000});
  CHECK(layer.parameters == 7);
  CHECK(layer.custom->forward == Duration(50'000'000));
  CHECK(layer.custom->backward == Duration(100'000'000));
  CHECK(layer.custom->workspace == Bytes(1024));
  CHECK(layer.saves.output);
  CHECK_FALSE(layer.saves.inputs);
  CHECK(layer.is_convolution);
  CHECK(layer.backward_form == BackwardForm::kFused);
  const auto saves = [](const std::string& what) {
    return read_layer(R"({"type": "custom", "output_shape": [1], "forward_time": "1 ms",
                          "backward_time": "0 ns", "saves": ")" +
                          what + R"("})",
                      {kJoinImage})
        .saves;
  };
  CHECK(saves("input").inputs);
  CHECK_FALSE(saves("input").output);
  CHECK(saves("both").inputs);
  CHECK(saves("both").output);
  CHECK_FALSE(saves("none").inputs);
  CHECK_FALSE(saves("none").output);
  CHECK(has(layer_error(R"({"type": "custom", "output_shape": [1], "forward_time": 50,
                                 "backward_time": "1 ms"})",
                        {kJoinImage}),
            "/forward_time: found 50"));
  CHECK(has(layer_error(R"({"type": "custom", "forward_time": "1 ms", "backward_time": "1 ms"})",
                        {kJoinImage}),
            "no \"output_shape\""));
  CHECK(has(layer_error(R"({"type": "custom", "output_shape": [70368744177664],
                                 "forward_time": "1 ms", "backward_time": "1 ms"})",
                        {kJoinImage}),
            "a tensor smaller than 2^48 bytes"));
}
