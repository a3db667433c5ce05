// Rates and efficiency curves from timed kernels.
#include <doctest/doctest.h>

#include <vector>

#include "calibrate/fit/compute_fit.hpp"

using namespace ooc;

TEST_CASE("a launch is taken off the time of a kernel") {
  // 1000 FLOP in 3 us of which 1 us is the launch: 1000 / 2 us = 0.5 GFLOP/s.
  CHECK(work_rate(1000, 3000, 1000) == doctest::Approx(0.5e9));
  // The launch is longer than the kernel: a quarter of the time counts.
  CHECK(work_rate(1000, 2000, 5000) == doctest::Approx(1000 / 500e-9));
}

TEST_CASE("kernels of about the same work are one point with their median rate") {
  const std::vector<WorkPoint> points =
      work_points({{1000, {1000}}, {1010, {2020}}, {1020, {4080}}, {64000, {6400}}}, 0);
  REQUIRE(points.size() == 2);
  CHECK(points[0].kernels == 3);
  CHECK(points[0].rate == doctest::Approx(0.5e9));  // of 1, 0.5 and 0.25 GFLOP/s
  CHECK(points[0].work == doctest::Approx(1010));   // geometric mean
  CHECK(points[1].rate == doctest::Approx(10e9));
  CHECK(best_rate(points) == doctest::Approx(10e9));
}

TEST_CASE("efficiencies are shares of the peak and never above 1") {
  const Efficiency efficiency = efficiency_curve({{1e6, 2e12, 1}, {1e9, 12e12, 1}}, 10e12);
  REQUIRE(efficiency.points.size() == 2);
  CHECK(efficiency.points[0].second == 0.2);
  CHECK(efficiency.points[1].second == 1);
}

TEST_CASE("kernels without times or without work are left out") {
  CHECK(work_points({{0, {5}}, {100, {}}, {100, {0, 0}}}, 0).empty());
  CHECK(best_rate({}) == 0);
}
