// Layers with weights: shapes, parameters, multiply-accumulates and the work of the three tasks.
#include "tests/support/test.hpp"
#include "tests/unit/layers_support.hpp"

using namespace ooc;
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
