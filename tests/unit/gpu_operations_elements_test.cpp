// Do operations on single elements calculate what their layers do, forward and backward?
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "calibrate/gpu/operations/math.hpp"
#include "tests/unit/gpu_operations_bench.hpp"

using ooc::test::check_gradient;
using ooc::test::copy;
using ooc::test::OperationsBench;

TEST_CASE("a divider divides like a division") {
  for (const unsigned by : {1U, 2U, 3U, 7U, 49U, 50176U, 65537U, 1000003U, 2147483647U}) {
    const ooc::gpu::Divider divider(by);
    for (const unsigned x : {0U, 1U, by - 1, by, by + 1, 2147483646U, 2147483647U, 123456789U}) {
      if (x > 2147483647U) continue;
      CAPTURE(by);
      CAPTURE(x);
      CHECK(divider.quotient(x) == x / by);
      CHECK(divider.remainder(x) == x % by);
    }
  }
}

TEST_CASE("activations have the values of their definitions") {
  const OperationsBench bench({4, 4});
  float* const x = bench.block(0);
  const auto value = [&](const std::string& op, float at) {
    x[0] = at;
    bench.run("op=" + op + " pass=forward batch=2 elements=2 x=0 y=1");
    return double{bench.block(1)[0]};
  };
  CHECK(value("relu", -2) == 0);
  CHECK(value("relu", 3) == 3);
  // 1 / (1 + e^-1)
  CHECK(value("sigmoid", 1) == doctest::Approx(0.7310586));
  CHECK(value("tanh", 0.5F) == doctest::Approx(0.4621172));
  // 1 · 0.8413447, the normal distribution's share below 1
  CHECK(value("gelu", 1) == doctest::Approx(0.8413447));
  CHECK(value("silu", 1) == doctest::Approx(0.7310586));
}

TEST_CASE("activations have the gradients of their values") {
  const OperationsBench bench({6, 6, 6, 6});
  for (const std::string op : {"relu", "sigmoid", "tanh", "gelu", "silu"}) {
    CAPTURE(op);
    const std::string saved = op == "gelu" || op == "silu" ? "x=0" : "y=1";
    check_gradient(bench, "op=" + op + " pass=forward batch=2 elements=3 x=0 y=1",
                   "op=" + op + " pass=backward batch=2 elements=3 " + saved + " dy=2 dx=3",
                   {bench.block(0), 6}, bench.block(3), {bench.block(1), 6}, bench.block(2));
  }
}

TEST_CASE("an activation in place overwrites its input, and its gradient the gradient") {
  const OperationsBench bench({2, 2});
  bench.block(0)[0] = -1;
  bench.block(0)[1] = 5;
  bench.run("op=relu pass=forward batch=1 elements=2 x=0 y=0");
  CHECK(copy(bench.block(0), 2) == std::vector<float>{0, 5});
  bench.run("op=relu pass=backward batch=1 elements=2 y=0 dy=1 dx=1");
  CHECK(bench.block(1)[0] == 0);
  CHECK(bench.block(1)[1] != 0);
}

TEST_CASE("dropout keeps about half, doubled, and lets the same gradients through") {
  constexpr std::size_t kCount = 10000;
  const OperationsBench bench({kCount, kCount, kCount / 4, kCount, kCount});
  bench.run("op=dropout pass=forward batch=10 elements=1000 x=0 y=1 mask=2");
  bench.run("op=dropout pass=backward batch=10 elements=1000 mask=2 dy=3 dx=4");
  std::size_t kept = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const bool keeps = bench.bytes(2)[i] != 0;
    kept += keeps ? 1 : 0;
    REQUIRE(bench.block(1)[i] == (keeps ? 2 * bench.block(0)[i] : 0));
    REQUIRE(bench.block(4)[i] == (keeps ? 2 * bench.block(3)[i] : 0));
  }
  // 5000 ± 4 deviations of sqrt(10000) / 2 = 50
  CHECK(kept > 4800);
  CHECK(kept < 5200);
  // A repeated forward task must draw the same mask.
  const std::vector<float> first = copy(bench.block(1), kCount);
  bench.run("op=dropout pass=forward batch=10 elements=1000 x=0 y=1 mask=2");
  CHECK(copy(bench.block(1), kCount) == first);
}

TEST_CASE("add sums any number of inputs and hands its gradient on") {
  const OperationsBench bench({10, 1});  // ten inputs of one number in one block
  std::string keys = "op=add pass=forward batch=1 elements=1 y=1";
  float sum = 0;
  for (int i = 0; i < 10; ++i) {
    keys += " x" + std::to_string(i) + "=0+" + std::to_string(4 * i);
    bench.block(0)[i] = static_cast<float>(i);
    sum += static_cast<float>(i);
  }
  bench.run(keys);
  CHECK(bench.block(1)[0] == sum);

  // dx0 shares dy's buffer and is not named; dx1 is written, dx2 added to.
  bench.block(0)[2] = 7;
  bench.block(1)[0] = 3;
  bench.run("op=add pass=backward batch=1 elements=1 dy=1 dx1=0+4 dx2=0+8 add_to=dx2");
  CHECK(bench.block(0)[1] == 3);
  CHECK(bench.block(0)[2] == 10);
}

TEST_CASE("concat puts samples side by side and takes gradients apart") {
  const OperationsBench bench({2, 4, 6, 6});
  const auto set = [](float* to, const std::vector<float>& numbers) {
    std::copy(numbers.begin(), numbers.end(), to);
  };
  set(bench.block(0), {1, 2});
  set(bench.block(1), {3, 4, 5, 6});
  bench.run("op=concat pass=forward batch=2 size0=1 size1=2 x0=0 x1=1 y=2");
  CHECK(copy(bench.block(2), 6) == std::vector<float>{1, 3, 4, 2, 5, 6});
  set(bench.block(3), {10, 20, 30, 40, 50, 60});
  bench.run("op=concat pass=backward batch=2 size0=1 size1=2 dy=3 dx1=1 add_to=dx1");
  CHECK(copy(bench.block(0), 2) == std::vector<float>{1, 2});
  CHECK(copy(bench.block(1), 4) == std::vector<float>{23, 34, 55, 66});
}

TEST_CASE("multiply has the gradients of its values, with factors per channel too") {
  // Two samples of [2 channels, 3 positions], twice, and [2 channels].
  const OperationsBench bench({12, 12, 4, 12, 12, 12, 12, 4});
  const std::string common = " batch=2 channels=2 positions=3 spread=4 x0=0 x1=1 x2=2 ";
  const std::string forward = "op=multiply pass=forward" + common + "y=3";
  const std::string backward = "op=multiply pass=backward" + common + "dy=4 dx0=5 dx1=6 dx2=7";
  bench.run(forward);
  // Sample 1, channel 1, position 2.
  CHECK(double{bench.block(3)[11]} ==
        doctest::Approx(double{bench.block(0)[11] * bench.block(1)[11] * bench.block(2)[3]}));
  for (const auto& [input, gradient, count] :
       {std::tuple{0U, 5U, 12U}, std::tuple{1U, 6U, 12U}, std::tuple{2U, 7U, 4U}}) {
    check_gradient(bench, forward, backward, {bench.block(input), count}, bench.block(gradient),
                   {bench.block(3), 12}, bench.block(4));
  }
}

TEST_CASE("an update makes one step of its optimiser") {
  const OperationsBench bench({1}, 8);
  float* const s = bench.statics();
  const auto step = [&](const std::string& optimizer, int runs) {
    s[0] = 1;  // parameter
    s[1] = 2;  // its gradient
    const auto operation =
        bench.make("op=update parameters=1 w=0 dw=4 state=8 optimizer=" + optimizer);
    const ooc::gpu::Stream stream;
    operation->initialise(stream.get());
    for (int i = 0; i < runs; ++i) operation->run(stream.get());
    stream.wait();
    return double{s[0]};
  };
  CHECK(step("sgd", 1) == doctest::Approx(1 - 0.002));
  // Velocities 2 and 0.9 · 2 + 2 = 3.8.
  CHECK(step("momentum", 2) == doctest::Approx(1 - 0.002 - 0.0038));
  // The corrected moments of an equal gradient are it and its square: a step of the rate, each time.
  CHECK(step("adam", 2) == doctest::Approx(1 - 0.001 - 0.001));
  CHECK(double{s[2]} == doctest::Approx(0.2 + 0.9 * 0.2));
  CHECK(double{s[3]} == doctest::Approx(0.004 + 0.999 * 0.004));
}
