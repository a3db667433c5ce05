// Do convolutions and linear layers ask their library for the right products, and add biases? The stub calculates
// small products by plain loops.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/unit/gpu_operations_bench.hpp"

using ooc::test::check_gradient;
using ooc::test::copy;
using ooc::test::OperationsBench;

namespace {

void weight_set(float* to, const std::vector<float>& numbers) {
  std::copy(numbers.begin(), numbers.end(), to);
}

constexpr const char* kSmall =
    " batch=1 channels=1 height=2 width=3 filters=1 out_height=1 out_width=2 kernel_h=2 kernel_w=2 "
    "stride_h=1 stride_w=1 pad_h=0 pad_w=0 dilation_h=1 dilation_w=1 groups=1 bias=1 ";

// 2 samples of 4 × 5 × 5, 6 filters of 2 × 3 × 2 in 2 groups, stride 2 × 1, padding 1 × 1, dilation 1 × 2:
// rows (5 + 2 - 3) / 2 + 1 = 3, columns 5 + 2 - 3 + 1 = 5.
constexpr const char* kLarge =
    " batch=2 channels=4 height=5 width=5 filters=6 out_height=3 out_width=5 kernel_h=3 kernel_w=2 "
    "stride_h=2 stride_w=1 pad_h=1 pad_w=1 dilation_h=1 dilation_w=2 groups=2 bias=1 ";
constexpr std::size_t kX = 2 * 4 * 5 * 5;
constexpr std::size_t kY = 2 * 6 * 3 * 5;
constexpr std::size_t kW = 6 * 2 * 3 * 2;

}  // namespace

TEST_CASE("conv is the cross-correlation with its filter plus the bias") {
  const OperationsBench bench({6, 2}, 5);
  weight_set(bench.block(0), {1, 2, 3, 4, 5, 6});
  weight_set(bench.statics(), {1, 10, 100, 1000, 0.5});
  bench.run(std::string("op=conv pass=forward") + kSmall + "x=0 y=1 w=0");
  // 1 + 20 + 400 + 5000 + 0.5, 2 + 30 + 500 + 6000 + 0.5
  CHECK(copy(bench.block(1), 2) == std::vector<float>{5421.5, 6532.5});
}

TEST_CASE("conv has the gradients of its values") {
  const OperationsBench bench({kX, kY, kY, kX}, 2 * (kW + 6) + 64);
  const std::string dw = "dw=512";
  float* const gradients = bench.statics() + 128;
  const std::string forward = std::string("op=conv pass=forward") + kLarge + "x=0 y=1 w=0";
  check_gradient(bench, forward,
                 std::string("op=conv pass=backward_data") + kLarge + "dy=2 dx=3 w=0",
                 {bench.block(0), kX}, bench.block(3), {bench.block(1), kY}, bench.block(2));
  check_gradient(bench, forward,
                 std::string("op=conv pass=backward_weights") + kLarge + "x=0 dy=2 " + dw,
                 {bench.statics(), kW + 6}, gradients, {bench.block(1), kY}, bench.block(2));
}

TEST_CASE("conv reads its gradient from a slice and adds to another") {
  // Small: dy has 2 numbers; here they lie within a sample of 5. dx within a sample of 7.
  const OperationsBench bench({5, 7}, 12);
  weight_set(bench.block(0), {9, 9, 1, 2, 9});
  weight_set(bench.block(1), {50, 60, 70, 80, 90, 100, 110});
  weight_set(bench.statics(), {1, 10, 100, 1000, 0.5});
  bench.run(std::string("op=conv pass=backward_data") + kSmall +
            "dy=0+8/20 dx=1+4/28 w=0 add_to=dx");
  // Row 0: 1, 10 + 2, 20; row 1: 100, 1000 + 200, 2000.
  CHECK(copy(bench.block(1), 7) == std::vector<float>{50, 61, 82, 100, 190, 1300, 2110});
  bench.run(std::string("op=conv pass=backward_weights") + kSmall + "x=1 dy=0+8/20 dw=24");
  // The bias's gradient is 1 + 2.
  CHECK(bench.statics()[10] == 3);
}

TEST_CASE("samples of a slice are where its stride says, in convolutions and linear layers") {
  // 2 samples; dy [1 number] in samples of 3.
  const OperationsBench bench({6, 2, 2}, 8);
  weight_set(bench.block(0), {0, 5, 0, 0, 7, 0});
  weight_set(bench.block(2), {2, 3});
  weight_set(bench.statics(), {10});
  const std::string conv =
      " batch=2 channels=1 height=1 width=1 filters=1 out_height=1 out_width=1 kernel_h=1 "
      "kernel_w=1 stride_h=1 stride_w=1 pad_h=0 pad_w=0 dilation_h=1 dilation_w=1 groups=1 ";
  const std::string linear = " batch=2 rows=1 inputs=1 outputs=1 ";
  for (const std::string& op : {"op=conv" + conv, "op=linear" + linear}) {
    CAPTURE(op);
    bench.run(op + "bias=0 pass=backward_data dy=0+4/12 dx=1 w=0");
    CHECK(copy(bench.block(1), 2) == std::vector<float>{50, 70});
    bench.run(op + "bias=1 pass=backward_weights x=2 dy=0+4/12 dw=16");
    // 2 · 5 + 3 · 7, 5 + 7
    CHECK(copy(bench.statics() + 4, 2) == std::vector<float>{31, 12});
  }
}

TEST_CASE("a transposed convolution spreads each pixel over its window") {
  const OperationsBench bench({2, 5}, 4);
  weight_set(bench.block(0), {1, 2});
  weight_set(bench.statics(), {1, 10, 100, 0.5});
  // 1 × 2 -> 1 × 5: (2 - 1) · 2 + 3
  bench.run(
      "op=conv_transpose pass=forward batch=1 channels=1 height=1 width=2 filters=1 out_height=1 "
      "out_width=5 kernel_h=1 kernel_w=3 stride_h=1 stride_w=2 pad_h=0 pad_w=0 dilation_h=1 "
      "dilation_w=1 groups=1 bias=1 x=0 y=1 w=0");
  CHECK(copy(bench.block(1), 5) == std::vector<float>{1.5, 10.5, 102.5, 20.5, 200.5});
}

TEST_CASE("a transposed convolution has the gradients of its values") {
  // 4 × 3 × 2 -> 6 × 6 × 4 by windows of 4 × 2, stride 2, padding 1 × 0, two groups.
  constexpr std::size_t kIn = 2 * 4 * 3 * 2;
  constexpr std::size_t kOut = 2 * 6 * 6 * 4;
  constexpr std::size_t kWeights = 4 * 3 * 4 * 2;
  const OperationsBench bench({kIn, kOut, kOut, kIn}, 2 * 128);
  const std::string sizes =
      " batch=2 channels=4 height=3 width=2 filters=6 out_height=6 out_width=4 kernel_h=4 "
      "kernel_w=2 stride_h=2 stride_w=2 pad_h=1 pad_w=0 dilation_h=1 dilation_w=1 groups=2 bias=1 ";
  const std::string forward = "op=conv_transpose pass=forward" + sizes + "x=0 y=1 w=0";
  check_gradient(bench, forward, "op=conv_transpose pass=backward_data" + sizes + "dy=2 dx=3 w=0",
                 {bench.block(0), kIn}, bench.block(3), {bench.block(1), kOut}, bench.block(2));
  check_gradient(bench, forward,
                 "op=conv_transpose pass=backward_weights" + sizes + "x=0 dy=2 dw=512",
                 {bench.statics(), kWeights + 6}, bench.statics() + 128, {bench.block(1), kOut},
                 bench.block(2));
}

TEST_CASE("linear is x Wᵀ + b and has the gradients of its values") {
  // 2 samples of 2 rows, 3 -> 2.
  const OperationsBench bench({12, 8, 8, 12}, 16);
  weight_set(bench.block(0), {1, 2, 3});
  weight_set(bench.statics(), {1, 10, 100, 4, 5, 6, 0.5, 0.25});
  const std::string sizes = " batch=2 rows=2 inputs=3 outputs=2 bias=1 ";
  const std::string forward = "op=linear pass=forward" + sizes + "x=0 y=1 w=0";
  bench.run(forward);
  // 1 + 20 + 300 + 0.5, 4 + 10 + 18 + 0.25
  CHECK(copy(bench.block(1), 2) == std::vector<float>{321.5, 32.25});
  ooc::test::fill(bench.statics(), 8, 9);
  check_gradient(bench, forward, "op=linear pass=backward_data" + sizes + "dy=2 dx=3 w=0",
                 {bench.block(0), 12}, bench.block(3), {bench.block(1), 8}, bench.block(2));
  check_gradient(bench, forward, "op=linear pass=backward_weights" + sizes + "x=0 dy=2 dw=32",
                 {bench.statics(), 8}, bench.statics() + 8, {bench.block(1), 8}, bench.block(2));
  // Another reader has been there.
  const std::vector<float> once = copy(bench.block(3), 12);
  bench.run("op=linear pass=backward_data" + sizes + "dy=2 dx=3 w=0 add_to=dx");
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK(double{bench.block(3)[i]} == doctest::Approx(2 * double{once[i]}));
  }
}

TEST_CASE("weights start in a range that keeps the size of activations") {
  const OperationsBench bench({12, 8}, 8);
  const auto forward =
      bench.make("op=linear pass=forward batch=2 rows=2 inputs=3 outputs=2 bias=1 x=0 y=1 w=0");
  const ooc::gpu::Stream stream;
  forward->initialise(stream.get());
  stream.wait();
  // ± sqrt(6 / 3)
  float largest = 0;
  for (std::size_t i = 0; i < 6; ++i) largest = std::max(largest, std::abs(bench.statics()[i]));
  CHECK(largest <= 1.4143F);
  CHECK(largest > 0.5F);
  CHECK(copy(bench.statics() + 6, 2) == std::vector<float>{0, 0});
}

TEST_CASE("a convolution uses the fastest algorithm whose workspace fits") {
  // 64 × 56 × 56, 64 filters of 3 × 3, two samples: 2 · 2 · 64 · 56² · 576 FLOP. The stub's fast algorithm wants
  // as many bytes as the input has, its slow one none and twice the FLOP.
  constexpr std::size_t kNumbers = 2 * 64 * 56 * 56;
  constexpr double kFastNs = 2.0 * kNumbers * 576 / 1e13 * 1e9;
  const OperationsBench bench({kNumbers, kNumbers, kNumbers}, 64 * 576);
  const std::string forward =
      "op=conv pass=forward batch=2 channels=64 height=56 width=56 filters=64 out_height=56 "
      "out_width=56 kernel_h=3 kernel_w=3 stride_h=1 stride_w=1 pad_h=1 pad_w=1 dilation_h=1 "
      "dilation_w=1 groups=1 bias=0 x=0 y=1 w=0";
  const auto time = [&](const std::string& more) { return bench.time_ns(forward + more); };
  const std::string bytes = std::to_string(4 * kNumbers);
  const double fast = time(" workspace=2 workspace_bytes=" + bytes);
  CHECK(fast == doctest::Approx(kFastNs).epsilon(0.05));
  CHECK(time(" workspace=2 workspace_bytes=" + std::to_string(4 * kNumbers - 1)) ==
        doctest::Approx(2 * kFastNs).epsilon(0.05));
  CHECK(time("") == doctest::Approx(2 * kFastNs).epsilon(0.05));
  // Once known it is not tried again.
  CHECK(time(" workspace=2 workspace_bytes=" + bytes) == doctest::Approx(fast));
}
