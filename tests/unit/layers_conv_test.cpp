// Layers with weights: shapes, parameters, multiply-accumulates and the work of the three tasks.
#include "tests/support/test.hpp"
#include "tests/unit/layers_support.hpp"

namespace ooc::test {
namespace {

using Counts = std::vector<std::int64_t>;
using Dims = std::vector<std::int64_t>;

TEST_CASE("a 3x3 convolution counts every operand of its three tasks once") {
  const LayerModel conv =
      read_layer(R"({"type": "conv", "filters": 4, "kernel": [3, 3]})", {{{2, 5, 6}}});
  CHECK(conv.output.dims == Dims{4, 3, 4});  // 5 - 3 + 1, 6 - 3 + 1
  CHECK(conv.parameters == 76);              // 3 x 3 x 2 x 4 = 72, and 4 biases
  CHECK(conv.forward_macs == 864);           // 72 x 12 positions
  // X: 60 elements, Y: 48, together 108 x 4 = 432 bytes; W 72 x 4 = 288, with bias 304.
  CHECK(counts(conv.work.forward) == Counts{1728, 432, 304});
  CHECK(counts(conv.work.backward_data) == Counts{1728, 432, 288});
  CHECK(counts(conv.work.backward_weights) == Counts{1728, 432, 304});
  CHECK(conv.backward_form == BackwardForm::kSplit);
  CHECK(conv.saves.inputs);
  CHECK_FALSE(conv.saves.output);
  CHECK(conv.is_convolution);
  CHECK(conv.is_feature_extractor);
  CHECK(conv.efficiency == "conv");
  CHECK(conv.in_place == InPlace::kNever);
}

TEST_CASE("half precision halves the bytes of the native model and not PALEO's") {
  const std::string text = R"({"type": "conv", "filters": 4, "kernel": [3, 3], "bias": false})";
  const LayerModel half = read_layer(text, {{{2, 5, 6}}}, Dtype::kFloat16);
  CHECK(counts(half.work.forward) == Counts{1728, 216, 144});
  CHECK(half.parameters == 72);
  CHECK(half.paleo_work.forward.bytes_per_sample == 432);
}

TEST_CASE("stride, padding and dilation set the positions of a convolution") {
  const auto dims = [](const std::string& rest, std::int64_t size) {
    return read_layer(R"({"type": "conv", "filters": 1, )" + rest + "}", {{{1, size}}})
        .output.dims.at(1);
  };
  CHECK(dims(R"("kernel": [7], "stride": [2], "padding": [3])", 224) == 112);  // (224+6-7)/2+1
  CHECK(dims(R"("kernel": 3, "stride": 2)", 8) == 3);                          // (8-3)/2+1, floor
  CHECK(dims(R"("kernel": [3], "dilation": [2])", 9) == 5);                    // extent 5: 9-5+1
  CHECK(dims(R"("kernel": [3], "dilation": [2], "padding": 2)", 9) == 9);
  CHECK(dims(R"("kernel": [3], "stride": [2], "padding": "same")", 9) == 5);  // ceil(9/2)
  CHECK(dims(R"("kernel": [9], "padding": "same")", 4) == 4);  // larger than the input
  CHECK(dims(R"("kernel": [3], "stride": [2], "padding": "valid")", 8) == 3);  // ceil((8-2)/2)
  CHECK(dims(R"("kernel": [8])", 8) == 1);
}

TEST_CASE("a convolution has as many dimensions as its kernel") {
  CHECK(read_layer(R"({"type": "conv", "filters": 3, "kernel": [2]})", {{{4, 7}}}).output.dims ==
        Dims{3, 6});
  const LayerModel volume =
      read_layer(R"({"type": "conv", "filters": 3, "kernel": [2, 2, 2]})", {{{4, 3, 4, 5}}});
  CHECK(volume.output.dims == Dims{3, 2, 3, 4});
  CHECK(volume.forward_macs == 2304);  // 8 x 4 x 3 weights x 24 positions
}

TEST_CASE("groups divide the weights of a convolution") {
  const LayerModel grouped =
      read_layer(R"({"type": "conv", "filters": 6, "kernel": [3, 3], "padding": 1, "groups": 2})",
                 {{{4, 5, 5}}});
  CHECK(grouped.parameters == 114);     // 9 x (4 / 2) x 6 = 108, and 6 biases
  CHECK(grouped.forward_macs == 2700);  // 108 x 25
  const LayerModel depthwise = read_layer(
      R"({"type": "conv", "filters": 4, "kernel": [3, 3], "padding": 1, "groups": 4, "bias": false})",
      {{{4, 5, 5}}});
  CHECK(depthwise.parameters == 36);
}

TEST_CASE("a convolution says what is wrong with its attributes") {
  const std::vector<TensorShape> image{{{3, 8, 8}}};
  const auto error = [&](const std::string& rest) {
    return layer_error(R"({"type": "conv", )" + rest + "}", image);
  };
  CHECK(has(error(R"("filters": 4, "kernel": [9, 3])"), "at most the padded input, 8 pixels"));
  CHECK(has(error(R"("filters": 4, "kernel": [9, 3])"), "/kernel: found a kernel that covers 9"));
  CHECK(has(error(R"("filters": 4, "kernel": [11, 3], "padding": 1)"), "10 pixels"));
  CHECK(has(error(R"("filters": 4, "kernel": [3, 3], "dilation": 4)"), "covers 9 pixels"));
  CHECK(has(error(R"("filters": 0, "kernel": [3, 3])"),
            "/filters: found 0, expected an integer from 1"));
  CHECK(has(error(R"("filters": -4, "kernel": [3, 3])"), "/filters: found -4"));
  CHECK(has(error(R"("filters": 4, "kernel": [0, 3])"), "/kernel/0: found 0"));
  CHECK(has(error(R"("filters": 4, "kernel": [3, 3], "stride": 0)"), "/stride: found 0"));
  CHECK(
      has(error(R"("filters": 4, "kernel": [3, 3], "padding": [1, -1])"), "/padding/1: found -1"));
  CHECK(has(error(R"("filters": 4, "kernel": [3, 3], "padding": "some")"), "\"same\", \"valid\""));
  CHECK(has(error(R"("filters": 4, "kernel": [3, 3, 3])"), "a list of 2"));
  CHECK(has(error(R"("filters": 4, "kernel": [3, 3], "groups": 2)"),
            "a divisor of 3 input channels"));
  CHECK(has(error(R"("filters": 4)"), "no \"kernel\""));
  CHECK(has(error(R"("filters": 4, "kernel": [3, 3], "paddin": 1)"), "did you mean \"padding\"?"));
  CHECK(has(layer_error(R"({"type": "conv", "filters": 4, "kernel": [3]})", {{{8}}}),
            "an input of shape 8"));
  CHECK(has(layer_error(R"({"type": "conv", "filters": 4, "kernel": [3]})", {{{8, 8}}, {{8, 8}}}),
            "found 2 inputs, expected one input"));
}

TEST_CASE("sizes that overflow are refused and not wrapped") {
  const std::vector<TensorShape> image{{{1 << 20, 1024, 1024}}};
  // 2^20 x 2^44 x 1 weights: 2^66 bytes.
  CHECK(has(layer_error(R"({"type": "conv", "filters": 17592186044416, "kernel": [1, 1],
                                 "stride": 2048, "bias": false})",
                        image),
            "18446744073709551616 parameters"));
  // 2^46 filters x 2^20 pixels.
  CHECK(has(layer_error(R"({"type": "conv", "filters": 70368744177664, "kernel": [1, 1]})", image),
            "an output of 70368744177664x1024x1024"));
  CHECK(has(
      layer_error(R"({"type": "conv", "filters": 1, "kernel": [281474976710656, 281474976710656],
                                 "padding": "same"})",
                  image),
      "parameters"));
  CHECK(has(layer_error(R"({"type": "conv", "filters": 1, "kernel": [281474976710656, 1],
                                 "dilation": 281474976710656, "padding": "same"})",
                        image),
            "a dilated kernel of 2^48 pixels or more"));
  CHECK(has(layer_error(R"({"type": "conv", "filters": 18446744073709551617, "kernel": 1})", image),
            "/filters"));
  // 2^20 x 2^10 x 2^10 x 4 bytes fit; 2^44 MACs each of 2^20 positions are 2^64.
  CHECK(has(layer_error(R"({"type": "conv", "filters": 16777216, "kernel": [1, 1]})",
                        {{{1 << 20, 1, 1 << 20}}}),
            "a sample"));
}

TEST_CASE("a product that is 0 modulo 2^128 is still too large") {
  // Weights 2^44 x 2^44 x 2^44 = 2^132.
  const std::string error = layer_error(
      R"({"type": "conv", "filters": 1, "padding": "same", "bias": false,
          "kernel": [17592186044416, 17592186044416, 17592186044416]})",
      {{{1, 4, 4, 4}}});
  CHECK(has(error, "found more than 2^120 parameters"));
}

TEST_CASE("a transposed convolution enlarges its input") {
  const LayerModel up = read_layer(
      R"({"type": "conv_transpose", "filters": 3, "kernel": [4, 4], "stride": 2, "padding": 1})",
      {{{2, 5, 6}}});
  CHECK(up.output.dims == Dims{3, 10, 12});  // (5 - 1) 2 - 2 + 4, (6 - 1) 2 - 2 + 4
  CHECK(up.parameters == 99);                // 16 x 2 x 3 = 96, and 3 biases
  CHECK(up.forward_macs == 2880);            // 96 x 30 pixels of the input
  // X 60 + Y 360 elements = 1680 bytes.
  CHECK(counts(up.work.forward) == Counts{5760, 1680, 396});
  CHECK(up.saves.inputs);
  CHECK(up.is_convolution);

  const auto size = [](const std::string& rest) {
    return read_layer(R"({"type": "conv_transpose", "filters": 1, )" + rest + "}", {{{1, 5}}})
        .output.dims.at(1);
  };
  CHECK(size(R"("kernel": 3, "stride": 2, "padding": 1, "output_padding": 1)") == 10);
  CHECK(size(R"("kernel": 3, "stride": 2, "padding": "same")") == 10);
  CHECK(size(R"("kernel": 3, "stride": 2, "padding": "valid")") == 11);
  CHECK(size(R"("kernel": 3, "dilation": 3)") == 11);  // 4 + 7
  CHECK(has(layer_error(R"({"type": "conv_transpose", "filters": 1, "kernel": 3, "padding": 4})",
                        {{{1, 5}}}),
            "/padding: found 4 on each side"));
  CHECK(has(
      layer_error(R"({"type": "conv_transpose", "filters": 1, "kernel": 3, "output_padding": 1})",
                  {{{1, 5}}}),
      "less than the stride, 1"));
  CHECK(has(layer_error(R"({"type": "conv_transpose", "filters": 1, "kernel": 1,
                                 "stride": 281474976710656})",
                        {{{1, 1000000}}}),
            "a tensor smaller than 2^48 bytes"));
}

TEST_CASE("a linear layer works on features, also step by step") {
  const LayerModel one = read_layer(R"({"type": "linear", "units": 3})", {{{5}}});
  CHECK(one.output.dims == Dims{3});
  CHECK(one.parameters == 18);  // 5 x 3 + 3
  CHECK(one.forward_macs == 15);
  CHECK(counts(one.work.forward) == Counts{30, 32, 72});        // (5 + 3) x 4; 18 x 4
  CHECK(counts(one.work.backward_data) == Counts{30, 32, 60});  // W alone
  CHECK(counts(one.work.backward_weights) == Counts{30, 32, 72});
  CHECK(one.efficiency == "linear");
  CHECK(one.backward_form == BackwardForm::kSplit);
  CHECK(one.saves.inputs);
  CHECK_FALSE(one.is_feature_extractor);

  const LayerModel steps =
      read_layer(R"({"type": "linear", "units": 3, "bias": false})", {{{7, 5}}});
  CHECK(steps.output.dims == Dims{7, 3});
  CHECK(steps.parameters == 15);
  CHECK(steps.forward_macs == 105);
  CHECK(has(layer_error(R"({"type": "linear", "units": 3})", {{{2, 5, 5}}}),
            "put a \"flatten\" layer before it"));
}

// Pools: positions, what they save, their work natively and after PALEO.

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

// Layers on volumes: three spatial dimensions, by the length of the kernel.

using Counts = std::vector<std::int64_t>;

// 2 channels of 4x4x4: 128 elements, 512 bytes.
const std::vector<TensorShape> kVolume{{{2, 4, 4, 4}}};

TEST_CASE("a convolution of three dimensions counts 27 taps and every position of the volume") {
  const LayerModel conv =
      read_layer(R"({"type": "conv", "filters": 3, "kernel": [3, 3, 3], "padding": 1})", kVolume);
  CHECK(conv.output == TensorShape{{3, 4, 4, 4}});
  CHECK(conv.parameters == 165);       // 27 x 2 x 3 + 3
  CHECK(conv.forward_macs == 10'368);  // 162 x 64
  // X 512, Y 768 bytes; 165 parameters.
  CHECK(counts(conv.work.forward) == Counts{20'736, 1280, 660});
  CHECK(counts(conv.work.backward_data) == Counts{20'736, 1280, 648});
  CHECK(counts(conv.work.backward_weights) == Counts{20'736, 1280, 660});
  CHECK(conv.paleo_work.forward.flops_per_sample == 20'736);
}

TEST_CASE("kernel, stride, padding and dilation are lists of three where the axes differ") {
  // Depth untouched: 9 taps; height and width (4 + 2 - 3) / 2 + 1 = 2.
  const LayerModel flat = read_layer(
      R"({"type": "conv", "filters": 3, "kernel": [1, 3, 3], "stride": [1, 2, 2],
          "padding": [0, 1, 1], "bias": false})",
      kVolume);
  CHECK(flat.output == TensorShape{{3, 4, 2, 2}});
  CHECK(flat.parameters == 54);
  CHECK(flat.forward_macs == 864);  // 54 x 16
  const LayerModel dilated = read_layer(
      R"({"type": "conv", "filters": 2, "kernel": 2, "dilation": [1, 2, 3], "groups": 2})",
      kVolume);
  CHECK(dilated.output == TensorShape{{2, 3, 2, 1}});  // extents 2, 3, 4
  CHECK(dilated.parameters == 18);                     // 8 x 1 x 2 + 2
  CHECK(read_layer(R"({"type": "conv", "filters": 1, "kernel": 3, "stride": 3, "padding": "same"})",
                   kVolume)
            .output == TensorShape{{1, 2, 2, 2}});
  CHECK(has(layer_error(R"({"type": "conv", "filters": 3, "kernel": [3, 3]})", kVolume),
            "/kernel: found a list of 2, expected a list of 3"));
  CHECK(has(layer_error(R"({"type": "conv", "filters": 3, "kernel": 3})", {{{2, 4, 4, 4, 4}}}),
            "one to three spatial dimensions"));
}

TEST_CASE("an up-convolution doubles all three dimensions") {
  const LayerModel up = read_layer(
      R"({"type": "conv_transpose", "filters": 5, "kernel": [2, 2, 2], "stride": [2, 2, 2]})",
      {{{2, 3, 3, 3}}});
  CHECK(up.output == TensorShape{{5, 6, 6, 6}});
  CHECK(up.parameters == 85);       // 8 x 2 x 5 + 5
  CHECK(up.forward_macs == 2'160);  // 80 x 27 voxels of the input
}

TEST_CASE("pools of three dimensions visit kernel x kernel x kernel voxels") {
  const LayerModel max = read_layer(R"({"type": "max_pool", "kernel": [2, 2, 2]})", kVolume);
  CHECK(max.output == TensorShape{{2, 2, 2, 2}});
  CHECK(counts(max.work.forward) == Counts{128, 576, 0});         // 8 x 16; (128 + 16) x 4
  CHECK(counts(max.work.backward_data) == Counts{128, 1152, 0});  // X, Y, dY, dX
  CHECK(counts(max.paleo_work.forward) == Counts{256, 576, 0});
  const LayerModel average = read_layer(
      R"({"type": "avg_pool", "kernel": [1, 3, 3], "stride": [1, 3, 3], "ceil": true})", kVolume);
  CHECK(average.output == TensorShape{{2, 4, 2, 2}});
  CHECK(average.work.forward.flops_per_sample == 288);  // 9 x 32
  CHECK(read_layer(R"({"type": "global_avg_pool"})", kVolume).output == TensorShape{{2}});
  const LayerModel adaptive =
      read_layer(R"({"type": "adaptive_avg_pool", "output": [2, 3, 4]})", kVolume);
  CHECK(adaptive.output == TensorShape{{2, 2, 3, 4}});
  // Visits per axis 4 + o - gcd(4, o): 4, 6, 4; 2 channels.
  CHECK(adaptive.work.forward.flops_per_sample == 192);
}

TEST_CASE("upsampling a volume is trilinear with eight neighbours") {
  const std::vector<TensorShape> small{{{2, 2, 2, 2}}};
  const LayerModel nearest = read_layer(R"({"type": "upsample", "scale": 2})", small);
  CHECK(nearest.output == kVolume[0]);
  CHECK(counts(nearest.work.forward) == Counts{0, 576, 0});  // 16 + 128 elements
  CHECK(counts(nearest.work.backward_data) == Counts{128, 576, 0});
  const LayerModel linear =
      read_layer(R"({"type": "upsample", "scale": [2, 2, 2], "mode": "bilinear"})", small);
  CHECK(linear.work.forward.flops_per_sample == 2'048);  // 8 products and sums for 128 voxels
  CHECK(read_layer(R"({"type": "upsample", "scale": [1, 2, 3]})", small).output ==
        TensorShape{{2, 2, 4, 6}});
}

TEST_CASE("norms, softmax, joins and slices take volumes as they take images") {
  const LayerModel norm = read_layer(R"({"type": "batch_norm"})", kVolume);
  CHECK(norm.output == kVolume[0]);
  CHECK(norm.parameters == 4);
  CHECK(counts(norm.work.forward) == Counts{640, 1536, 16});  // 5 x 128; 2 X + Y
  CHECK(read_layer(R"({"type": "layer_norm"})", kVolume).parameters == 4);
  CHECK(read_layer(R"({"type": "softmax_cross_entropy"})", kVolume).output == kVolume[0]);
  CHECK(read_layer(R"({"type": "concat"})", {{{2, 4, 4, 4}}, {{3, 4, 4, 4}}}).output ==
        TensorShape{{5, 4, 4, 4}});
  CHECK(read_layer(R"({"type": "multiply"})", {{{2, 4, 4, 4}}, {{2, 1, 1, 1}}}).output ==
        kVolume[0]);
  CHECK(read_layer(R"({"type": "slice", "axis": 3, "begin": 1, "end": 3})", kVolume).output ==
        TensorShape{{2, 4, 4, 2}});
  CHECK(read_layer(R"({"type": "transpose", "axes": [0, 3, 1, 2]})", {{{2, 3, 4, 5}}}).output ==
        TensorShape{{2, 5, 3, 4}});
}

}  // namespace
}  // namespace ooc::test
