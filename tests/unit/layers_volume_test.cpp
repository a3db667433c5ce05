// Layers on volumes: three spatial dimensions, by the length of the kernel.
#include "tests/support/test.hpp"
#include "tests/unit/layers_support.hpp"

using namespace ooc;
using Counts = std::vector<std::int64_t>;

namespace {

// 2 channels of 4x4x4: 128 elements, 512 bytes.
const std::vector<TensorShape> kVolume{{{2, 4, 4, 4}}};

}  // namespace

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
