// OOC-Paleo's closed forms against sums done by hand. Rates are chosen so that a gigabyte takes a
// round number of milliseconds.
#include "model/analytic/closed_forms.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace ooc;

constexpr Bytes gigabytes(std::int64_t tenths) { return Bytes(tenths * 100'000'000); }
constexpr Duration ms(std::int64_t count) { return Duration(count * 1'000'000); }
constexpr BytesPerSecond gb_per_s(std::int64_t count) {
  return BytesPerSecond(count * 1'000'000'000);
}

TEST_CASE(
    "(1), (2): half the full concurrency keeps the processor half busy, twice of it no busier") {
  const Bytes full = bytes_within(gb_per_s(10), ms(100));  // Proc_Th x Proc_L
  CHECK(full == gigabytes(10));
  CHECK(processing_utilization(gigabytes(5), full) == doctest::Approx(0.5));
  CHECK(processing_utilization(gigabytes(10), full) == 1.0);
  CHECK(processing_utilization(gigabytes(20), full) == 1.0);
  CHECK(processing_utilization(Bytes(0), Bytes(0)) == 1.0);
}

TEST_CASE("(4): what a step leaves over is never negative, and the copies in are added") {
  AvailabilityStep step{.available = Bytes(100),
                        .processed = bytes_within(gb_per_s(3), Duration(10)),   // 30
                        .swapped_in = bytes_within(gb_per_s(2), Duration(10)),  // 20
                        .capacity = {}};
  CHECK(next_available(step) == Bytes(90));  // 100 - 30 + 20
  step.available = Bytes(10);
  CHECK(next_available(step) == Bytes(20));  // max(10 - 30, 0) + 20
}

TEST_CASE("(6): copies in stop at the capacity, after the step's own release") {
  AvailabilityStep step{.available = Bytes(100),
                        .processed = Bytes(30),
                        .swapped_in = Bytes(50),
                        .capacity = Bytes(110)};
  CHECK(next_available(step) == Bytes(110));  // 70 left + min(50, 110 - 70)
  step.capacity = Bytes(60);                  // full from the start: nothing comes in
  CHECK(next_available(step) == Bytes(70));
}

TEST_CASE("(5): the slowest stage sets the rate of a swap and all three latencies come in front") {
  const SwapStage far_memory{.throughput = gb_per_s(76), .latency = Duration(100)};
  const SwapStage near_memory{.throughput = gb_per_s(900), .latency = Duration(600)};
  SwapStage connection{.throughput = gb_per_s(10), .latency = Duration(9'000)};
  SwapStage path = swap_path(far_memory, connection, near_memory);
  CHECK(path.throughput == gb_per_s(10));
  CHECK(path.latency == Duration(9'700));
  connection.throughput = kInfiniteRate;
  path = swap_path(far_memory, connection, near_memory);
  CHECK(path.throughput == gb_per_s(76));  // far memory binds
}

TEST_CASE("(7) to (9): a section lasts as long as the slower of task and copy") {
  const BackwardSection slow_copy{.processing = ms(50), .swap = ms(200)};
  CHECK(slow_copy.length() == ms(200));
  CHECK(slow_copy.utilization() == doctest::Approx(0.25));
  // Full concurrency 10 GB/s x 100 ms = 1e9 bytes; a quarter of the time.
  CHECK(section_concurrency(slow_copy, gigabytes(10)) == doctest::Approx(0.25e9));
  const BackwardSection slow_task{.processing = ms(50), .swap = ms(20)};
  CHECK(slow_task.length() == ms(50));
  CHECK(slow_task.utilization() == 1.0);
  CHECK(BackwardSection{}.utilization() == 1.0);
}

TEST_CASE("vDNN-like on the four-layer chain of docs/formats.md takes 950 ms") {
  const ChainLayer layer{
      .forward = ms(50), .backward = ms(100), .copy_out = ms(100), .copy_in = ms(100)};
  const std::array<ChainLayer, 4> chain{layer, layer, layer, layer};
  // 50 + 3 x 100 + 100 out + 100 in + 3 x 100 + 100
  CHECK(vdnn_like_time(chain) == ms(950));
  CHECK(vdnn_like_time({}) == Duration(0));
  // One layer: forward, out, in, backward.
  CHECK(vdnn_like_time(std::span(chain).first(1)) == ms(350));
}

TEST_CASE("vDNN-like pairs each task with the copy of the layer before it, not with its own") {
  const std::array<ChainLayer, 2> chain{
      ChainLayer{.forward = ms(1), .backward = ms(2), .copy_out = ms(10), .copy_in = ms(20)},
      ChainLayer{.forward = ms(3), .backward = ms(4), .copy_out = ms(30), .copy_in = ms(40)}};
  // 1 + max(3, 10) + 30 + 40 + max(4, 20) + 2
  CHECK(vdnn_like_time(chain) == ms(103));
}

std::vector<BackwardLayer> four_layers() {
  return std::vector<BackwardLayer>(4, {.bytes = gigabytes(10), .time = ms(100)});
}

TEST_CASE("(10), (11): processing never catches up while every layer is near when it is reached") {
  const auto layers = four_layers();
  const CapacityBackward fast{.layers = layers, .retained = gigabytes(20), .swap_in = gb_per_s(10)};
  CHECK_FALSE(catch_up(fast));
  CHECK(capacity_backward_time(fast) == ms(400));
  for (std::size_t l = 0; l < 4; ++l) CHECK(capacity_utilization(fast, l) == 1.0);
}

TEST_CASE("(10), (11): one byte per second less and the layer that was just in time is caught") {
  const auto layers = four_layers();
  // The third layer is reached after 200 ms and needs 1 GB more than is retained: 5 GB/s just do.
  // The fourth is reached after 300 ms and needs 2 GB: 6.67 GB/s would.
  const CapacityBackward just{
      .layers = std::span(layers).first(3), .retained = gigabytes(20), .swap_in = gb_per_s(5)};
  CHECK_FALSE(catch_up(just));
  CapacityBackward late = just;
  late.swap_in = BytesPerSecond(4'999'999'999);
  const std::optional<Catch> caught = catch_up(late);
  REQUIRE(caught);
  CHECK(caught->layer == 2);
  CHECK(caught->time == ms(200));
  CHECK(caught->missing == Bytes(1));  // 0.2 bytes, rounded up
}

TEST_CASE(
    "(12): the caught layer waits for the rest of its copy, later ones for the slower of both") {
  const auto layers = four_layers();
  CapacityBackward backward{
      .layers = layers, .retained = gigabytes(20), .swap_in = gb_per_s(5)};  // the head's example
  std::optional<Catch> caught = catch_up(backward);
  REQUIRE(caught);
  CHECK(caught->layer == 3);
  CHECK(caught->time == ms(300));
  CHECK(caught->missing == gigabytes(5));              // 4 GB - 2 GB - 5 GB/s x 300 ms
  CHECK(capacity_backward_time(backward) == ms(500));  // 300 + 100 for 0.5 GB + 100

  backward.retained = gigabytes(10);
  backward.swap_in = gb_per_s(4);  // a copy takes 250 ms
  caught = catch_up(backward);
  REQUIRE(caught);
  CHECK(caught->layer == 1);
  CHECK(caught->time == ms(100));
  CHECK(caught->missing == gigabytes(6));  // 2 GB - 1 GB - 0.4 GB
  // 100 + 150 for the rest + max(100, 250) twice + 100 for the last, behind which nothing is
  // copied.
  CHECK(capacity_backward_time(backward) == ms(850));
  CHECK(capacity_utilization(backward, 0) == 1.0);
  CHECK(capacity_utilization(backward, 1) == doctest::Approx(0.4));
  CHECK(capacity_utilization(backward, 3) == 1.0);
}

TEST_CASE("(12): with an infinite link or an empty chain there is nothing to wait for") {
  const auto layers = four_layers();
  CHECK(capacity_backward_time({.layers = layers, .retained = {}, .swap_in = kInfiniteRate}) ==
        ms(400));
  CHECK(capacity_backward_time({.layers = {}, .retained = {}, .swap_in = gb_per_s(1)}) ==
        Duration(0));
}

}  // namespace
