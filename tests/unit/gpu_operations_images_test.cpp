// Do pools and operations that move numbers calculate what their layers do, forward and backward?
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

void image_set(float* to, const std::vector<float>& numbers) {
  std::copy(numbers.begin(), numbers.end(), to);
}

}  // namespace

TEST_CASE("max pool takes the largest of each window, cut off at the borders") {
  const OperationsBench bench({9, 4, 4, 9});
  image_set(bench.block(0), {1, 2, 3, 4, 5, 6, 7, 8, 9});
  // 3 × 3, kernel 2, stride 2, rounded up: the last windows have one row or column.
  const std::string sizes =
      " batch=1 channels=1 height=3 width=3 out_height=2 out_width=2 kernel_h=2 kernel_w=2 "
      "stride_h=2 stride_w=2 pad_h=0 pad_w=0 ";
  bench.run("op=max_pool pass=forward" + sizes + "x=0 y=1");
  CHECK(copy(bench.block(1), 4) == std::vector<float>{5, 6, 8, 9});
  bench.run("op=avg_pool pass=forward" + sizes + "x=0 y=1");
  // (1 + 2 + 4 + 5) / 4, (3 + 6) / 4, (7 + 8) / 4, 9 / 4: the kernel's area
  CHECK(copy(bench.block(1), 4) == std::vector<float>{3, 2.25, 3.75, 2.25});
}

TEST_CASE("max pool's gradient goes to the first of equal maxima of each window") {
  // Kernel 3, stride 1, padding 1 on 1 × 3 equal numbers: windows {0,1}, {0,1,2}, {1,2}.
  const OperationsBench bench({3, 3, 3, 3});
  image_set(bench.block(0), {0, 0, 0});
  image_set(bench.block(2), {1, 10, 100});
  const std::string sizes =
      " batch=1 channels=1 height=1 width=3 out_height=1 out_width=3 kernel_h=1 kernel_w=3 "
      "stride_h=1 stride_w=1 pad_h=0 pad_w=1 ";
  bench.run("op=max_pool pass=forward" + sizes + "x=0 y=1");
  bench.run("op=max_pool pass=backward" + sizes + "x=0 y=1 dy=2 dx=3");
  CHECK(copy(bench.block(3), 3) == std::vector<float>{11, 100, 0});
}

TEST_CASE("pools have the gradients of their values") {
  constexpr std::size_t kIn = 2 * 2 * 5 * 7;
  const OperationsBench bench({kIn, 2 * 2 * 3 * 4, 2 * 2 * 3 * 4, kIn});
  // 5 × 7, kernel 3 × 2, stride 2, padding 1 × 0, rounded up: (5 + 2 - 3) / 2 + 1 = 3, 4.
  const std::string sizes =
      " batch=2 channels=2 height=5 width=7 out_height=3 out_width=4 kernel_h=3 kernel_w=2 "
      "stride_h=2 stride_w=2 pad_h=1 pad_w=0 ";
  // Far enough apart that a small step does not change which is the largest.
  for (std::size_t i = 0; i < kIn; ++i) {
    bench.block(0)[i] = static_cast<float>((i * 37) % kIn) / 10;
  }
  check_gradient(bench, "op=max_pool pass=forward" + sizes + "x=0 y=1",
                 "op=max_pool pass=backward" + sizes + "x=0 y=1 dy=2 dx=3", {bench.block(0), kIn},
                 bench.block(3), {bench.block(1), 48}, bench.block(2));
  check_gradient(bench, "op=avg_pool pass=forward" + sizes + "x=0 y=1",
                 "op=avg_pool pass=backward" + sizes + "dy=2 dx=3", {bench.block(0), kIn},
                 bench.block(3), {bench.block(1), 48}, bench.block(2));
  check_gradient(
      bench,
      "op=adaptive_avg_pool pass=forward batch=2 channels=2 height=5 width=7 out_height=3 "
      "out_width=4 x=0 y=1",
      "op=adaptive_avg_pool pass=backward batch=2 channels=2 height=5 width=7 out_height=3 "
      "out_width=4 dy=2 dx=3",
      {bench.block(0), kIn}, bench.block(3), {bench.block(1), 48}, bench.block(2));
}

TEST_CASE("an adaptive pool averages windows that may share a pixel, a global one everything") {
  const OperationsBench bench({5, 3});
  image_set(bench.block(0), {1, 2, 3, 4, 5});
  // 0 … 1, 1 … 3, 3 … 4
  bench.run(
      "op=adaptive_avg_pool pass=forward batch=1 channels=1 height=1 width=5 out_height=1 "
      "out_width=3 x=0 y=1");
  CHECK(copy(bench.block(1), 3) == std::vector<float>{1.5, 3, 4.5});
  bench.run(
      "op=avg_pool pass=forward batch=1 channels=1 height=1 width=5 out_height=1 out_width=1 "
      "kernel_h=1 kernel_w=5 stride_h=1 stride_w=5 pad_h=0 pad_w=0 x=0 y=1");
  CHECK(bench.block(1)[0] == 3);
}

TEST_CASE("a pool takes its gradient from a slice and adds to another") {
  // Sample by sample: 1 number of another branch, then 2 of this one.
  const OperationsBench bench({2 * 3, 2 * 4});
  image_set(bench.block(0), {9, 1, 2, 9, 3, 4});
  image_set(bench.block(1), {10, 20, 30, 40, 50, 60, 70, 80});
  bench.run(
      "op=avg_pool pass=backward batch=2 channels=1 height=1 width=4 out_height=1 out_width=2 "
      "kernel_h=1 kernel_w=2 stride_h=1 stride_w=2 pad_h=0 pad_w=0 dy=0+4/12 dx=1 add_to=dx");
  CHECK(copy(bench.block(1), 8) == std::vector<float>{10.5, 20.5, 31, 41, 51.5, 61.5, 72, 82});
}

TEST_CASE("upsampling repeats or blends, and its gradient gathers") {
  const OperationsBench bench({2 * 3 * 2, 2 * 3 * 2 * 6, 2 * 3 * 2 * 6, 2 * 3 * 2});
  const std::string sizes = " batch=1 channels=2 height=3 width=2 scale_h=2 scale_w=3 bilinear=";
  image_set(bench.block(0), {1, 4});
  bench.run("op=upsample pass=forward" + sizes + "0 x=0 y=1");
  CHECK(copy(bench.block(1), 6) == std::vector<float>{1, 1, 1, 4, 4, 4});
  bench.run("op=upsample pass=forward" + sizes + "1 x=0 y=1");
  // (o + 0.5) / 3 - 0.5: below 0, 0, 1/3, 2/3, 1, 4/3; the first row is at the border too.
  const std::vector<double> blended{1, 1, 2, 3, 4, 4};
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(double{bench.block(1)[i]} == doctest::Approx(blended[i]).epsilon(1e-5));
  }
  for (const std::string mode : {"0", "1"}) {
    check_gradient(bench, "op=upsample pass=forward" + sizes + mode + " x=0 y=1",
                   "op=upsample pass=backward" + sizes + mode + " dy=2 dx=3", {bench.block(0), 12},
                   bench.block(3), {bench.block(1), 72}, bench.block(2));
  }
}

TEST_CASE("slice takes a range, and its gradient is zero beside it") {
  const OperationsBench bench({12, 4, 12});
  for (std::size_t i = 0; i < 12; ++i) bench.block(0)[i] = static_cast<float>(i);
  // [2, 3, 2], the middle one of three.
  const std::string sizes = " batch=1 outer=2 size=3 begin=1 end=2 inner=2 ";
  bench.run("op=slice pass=forward" + sizes + "x=0 y=1");
  CHECK(copy(bench.block(1), 4) == std::vector<float>{2, 3, 8, 9});
  bench.run("op=slice pass=backward" + sizes + "dy=1 dx=2");
  CHECK(copy(bench.block(2), 12) == std::vector<float>{0, 0, 2, 3, 0, 0, 0, 0, 8, 9, 0, 0});
}

TEST_CASE("transpose orders dimensions anew, and its gradient undoes it") {
  const OperationsBench bench({2 * 6, 2 * 6, 2 * 6});
  for (std::size_t i = 0; i < 12; ++i) bench.block(0)[i] = static_cast<float>(i);
  // [1, 2, 3] -> [3, 1, 2], two samples.
  const std::string sizes = " batch=2 rank=3 dim0=1 dim1=2 dim2=3 axis0=2 axis1=0 axis2=1 ";
  bench.run("op=transpose pass=forward" + sizes + "x=0 y=1");
  CHECK(copy(bench.block(1), 12) == std::vector<float>{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11});
  bench.run("op=transpose pass=backward" + sizes + "dy=1 dx=2");
  CHECK(copy(bench.block(2), 12) == copy(bench.block(0), 12));
}

TEST_CASE("lrn divides by its neighbours' squares") {
  const OperationsBench bench({2 * 7 * 3, 2 * 7 * 3, 2 * 7 * 3, 2 * 7 * 3});
  const std::string sizes = " batch=2 channels=7 positions=3 size=5 ";
  // Large numbers, so that the neighbours count.
  for (std::size_t i = 0; i < 42; ++i) bench.block(0)[i] = 40 + 3 * static_cast<float>(i % 11);
  bench.run("op=lrn pass=forward" + sizes + "x=0 y=1");
  // Channel 1 of the first sample, position 0: channels 0 … 3.
  double squares = 0;
  for (const std::size_t c : {0U, 1U, 2U, 3U}) {
    squares += double{bench.block(0)[3 * c]} * double{bench.block(0)[3 * c]};
  }
  CHECK(double{bench.block(1)[3]} ==
        doctest::Approx(double{bench.block(0)[3]} / std::pow(2 + 1e-4 / 5 * squares, 0.75)));
  for (const std::string size : {"5", "2"}) {
    const std::string even = " batch=2 channels=7 positions=3 size=" + size + " ";
    check_gradient(bench, "op=lrn pass=forward" + even + "x=0 y=1",
                   "op=lrn pass=backward" + even + "x=0 y=1 dy=2 dx=3", {bench.block(0), 42},
                   bench.block(3), {bench.block(1), 42}, bench.block(2));
  }
}
