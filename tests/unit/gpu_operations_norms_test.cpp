// Do norms and softmax calculate what their layers do, forward and backward?
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/unit/gpu_operations_bench.hpp"

using ooc::test::check_gradient;
using ooc::test::copy;
using ooc::test::OperationsBench;

TEST_CASE("batch norm makes channels of mean beta and deviation gamma") {
  // 3 samples of [2 channels, 4 positions]
  const OperationsBench bench({24, 24}, 4);
  float* const w = bench.statics();
  w[0] = 2;
  w[1] = 3;
  w[2] = 10;
  w[3] = 20;
  for (std::size_t i = 0; i < 24; ++i) bench.block(0)[i] += 1000;  // a mean that is large
  bench.run("op=batch_norm pass=forward batch=3 channels=2 positions=4 x=0 y=1 w=0 dw=0");
  for (const std::size_t channel : {0U, 1U}) {
    double sum = 0;
    double squares = 0;
    for (std::size_t n = 0; n < 3; ++n) {
      for (std::size_t p = 0; p < 4; ++p) {
        const double y = double{bench.block(1)[(2 * n + channel) * 4 + p]};
        sum += y / 12;
        squares += y * y / 12;
      }
    }
    CHECK(sum == doctest::Approx(channel == 0 ? 10 : 20).epsilon(1e-4));
    CHECK(std::sqrt(squares - sum * sum) == doctest::Approx(channel == 0 ? 2 : 3).epsilon(1e-3));
  }
}

TEST_CASE("batch norm has the gradients of its values") {
  const OperationsBench bench({24, 24, 24, 24}, 8);
  for (const std::string positions : {"4", "1"}) {
    // With one position: 3 samples of [8 channels] would not fit w, so 12 samples of 2.
    const std::string sizes =
        positions == "4" ? " batch=3 channels=2 positions=4 " : " batch=12 channels=2 positions=1 ";
    const std::string forward = "op=batch_norm pass=forward" + sizes + "x=0 y=1 w=0 dw=16";
    const std::string backward = "op=batch_norm pass=backward" + sizes + "x=0 dy=2 dx=3 w=0 dw=16";
    CAPTURE(sizes);
    check_gradient(bench, forward, backward, {bench.block(0), 24}, bench.block(3),
                   {bench.block(1), 24}, bench.block(2));
    check_gradient(bench, forward, backward, {bench.statics(), 4}, bench.statics() + 4,
                   {bench.block(1), 24}, bench.block(2));
  }
}

TEST_CASE(
    "batch norm starts with scale one and shift zero, and works where its input needs no "
    "gradient") {
  const OperationsBench bench({24, 24, 24}, 8);
  const auto forward =
      bench.make("op=batch_norm pass=forward batch=3 channels=2 positions=4 x=0 y=1 w=0 dw=16");
  const ooc::gpu::Stream stream;
  forward->initialise(stream.get());
  stream.wait();
  CHECK(copy(bench.statics(), 4) == std::vector<float>{1, 1, 0, 0});
  bench.run("op=batch_norm pass=backward batch=3 channels=2 positions=4 x=0 dy=2 w=0 dw=16");
  float beta = 0;  // Σ dy of channel 0
  for (const std::size_t n : {0U, 8U, 16U}) {
    for (std::size_t p = 0; p < 4; ++p) beta += bench.block(2)[n + p];
  }
  CHECK(double{bench.statics()[6]} == doctest::Approx(double{beta}));
}

TEST_CASE("layer norm has the gradients of its values in both orders") {
  const OperationsBench bench({24, 24, 24, 24}, 12);
  for (const std::string last : {"0", "1"}) {
    const std::string sizes = " batch=2 channels=3 positions=4 channels_last=" + last + " ";
    const std::string forward = "op=layer_norm pass=forward" + sizes + "x=0 y=1 w=0";
    const std::string backward = "op=layer_norm pass=backward" + sizes + "x=0 dy=2 dx=3 w=0 dw=24";
    CAPTURE(last);
    check_gradient(bench, forward, backward, {bench.block(0), 24}, bench.block(3),
                   {bench.block(1), 24}, bench.block(2));
    check_gradient(bench, forward, backward, {bench.statics(), 6}, bench.statics() + 6,
                   {bench.block(1), 24}, bench.block(2));
  }
}

TEST_CASE("layer norm makes each position's channels of mean shift and deviation scale") {
  const OperationsBench bench({6, 6}, 6);
  for (std::size_t i = 0; i < 6; ++i) bench.statics()[i] = i < 3 ? 2.0F : 5.0F;
  bench.run(
      "op=layer_norm pass=forward batch=1 channels=3 positions=2 channels_last=0 x=0 y=1 w=0");
  // Position 1: channels at 1, 3, 5.
  const float* const y = bench.block(1);
  CHECK(double{y[1] + y[3] + y[5]} / 3 == doctest::Approx(5).epsilon(1e-4));
}

TEST_CASE("softmax is a distribution over the channels of each position") {
  const OperationsBench bench({6, 6, 6, 6});
  const float large[] = {1000, 0, 1001, 0, 999, 0};  // [3 channels, 2 positions]
  std::copy(large, large + 6, bench.block(0));
  const std::string sizes = " batch=1 channels=3 positions=2 channels_last=0 ";
  bench.run("op=softmax pass=forward" + sizes + "x=0 y=1");
  // e^-1 / (e^-1 + 1 + e^-2), and thirds
  CHECK(double{bench.block(1)[0]} == doctest::Approx(0.2447285));
  CHECK(double{bench.block(1)[1]} == doctest::Approx(1.0 / 3));
  ooc::test::fill(bench.block(0), 6, 3);
  for (const std::string last : {"0", "1"}) {
    const std::string either = " batch=1 channels=3 positions=2 channels_last=" + last + " ";
    check_gradient(bench, "op=softmax pass=forward" + either + "x=0 y=1",
                   "op=softmax pass=backward" + either + "y=1 dy=2 dx=3", {bench.block(0), 6},
                   bench.block(3), {bench.block(1), 6}, bench.block(2));
  }
}

TEST_CASE("the loss has the gradient of the cross entropy with its labels") {
  // 2 samples of [3 channels, 2 positions]; label (n + p) mod 3.
  const OperationsBench bench({12, 12, 12});
  const auto index = [](bool last, std::size_t n, std::size_t c, std::size_t p) {
    return 6 * n + (last ? 3 * p + c : 2 * c + p);
  };
  for (const bool last : {false, true}) {
    CAPTURE(last);
    const std::string sizes =
        " batch=2 channels=3 positions=2 channels_last=" + std::to_string(int{last}) + " ";
    const auto loss = [&] {
      bench.run("op=softmax_cross_entropy pass=forward" + sizes + "x=0 y=1");
      double sum = 0;
      for (std::size_t n = 0; n < 2; ++n) {
        for (std::size_t p = 0; p < 2; ++p) {
          sum -= std::log(double{bench.block(1)[index(last, n, (n + p) % 3, p)]}) / 4;
        }
      }
      return sum;
    };
    loss();
    bench.run("op=softmax_cross_entropy pass=backward" + sizes + "y=1 dx=2");
    for (std::size_t i = 0; i < 12; ++i) {
      float& x = bench.block(0)[i];
      const float value = x;
      x = value + 0.01F;
      const double above = loss();
      x = value - 0.01F;
      const double below = loss();
      x = value;
      CHECK(double{bench.block(2)[i]} == doctest::Approx((above - below) / 0.02).epsilon(1e-2));
    }
  }
}
