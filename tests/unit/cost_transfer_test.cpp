// Copy times: eq. (5), its overrides, and measured curves.
#include "model/base/errors.hpp"
#include "model/cost/transfer_cost.hpp"
#include "model/hardware/profile_json.hpp"
#include "tests/support/test.hpp"
#include "tests/support/tiny_specs.hpp"

using namespace ooc;

namespace {

TransferCosts costs(const TransferOptions& options,
                    const std::vector<Bytes>& sizes = {Bytes(1'000'000)}) {
  return estimate_transfers(sizes, read_profile_text(tiny::machine(), "machine"), options);
}

}  // namespace

TEST_CASE("a straight line adds three latencies and takes the smallest of three rates") {
  const TransferCosts it = costs({});
  // 2 + 3 + 1 us; 1 MB at min(20, 10, 100) GB/s = 100 us, out at 5 GB/s = 200 us.
  CHECK(it.to_near[0].latency == Duration(6'000));
  CHECK(it.to_near[0].rate == BytesPerSecond(10'000'000'000));
  CHECK(it.to_near[0].alone == Duration(106'000));
  CHECK(it.to_far[0].alone == Duration(206'000));
  CHECK(it.limited_by == "connection");
}

TEST_CASE("a faster link is limited by the far memory, and the result says so") {
  const TransferCosts it = costs({.link = BytesPerSecond(50'000'000'000)});
  CHECK(it.to_near[0].rate == BytesPerSecond(20'000'000'000));
  CHECK(it.to_far[0].rate == BytesPerSecond(20'000'000'000));
  CHECK(it.limited_by == "far memory");
  const TransferCosts near =
      costs({.link = kInfiniteRate, .far_throughput = BytesPerSecond(200'000'000'000)});
  CHECK(near.to_near[0].rate == BytesPerSecond(100'000'000'000));
  CHECK(near.limited_by == "near memory");
}

TEST_CASE("a direction may have a link of its own, before that of both") {
  const TransferCosts out = costs({.link_to_far = BytesPerSecond(1'000'000'000)});
  CHECK(out.to_far[0].rate == BytesPerSecond(1'000'000'000));
  CHECK(out.to_near[0].rate == BytesPerSecond(10'000'000'000));
  const TransferCosts in =
      costs({.link = BytesPerSecond(2'000'000'000), .link_to_near = BytesPerSecond(4'000'000'000)});
  CHECK(in.to_far[0].rate == BytesPerSecond(2'000'000'000));
  CHECK(in.to_near[0].rate == BytesPerSecond(4'000'000'000));
  // Of a curve, whose peak is 10 GB/s: 10 us + 200 us.
  const TransferCosts curve =
      costs({.mode = CopyMode::kPageable, .link_to_near = BytesPerSecond(5'000'000'000)});
  CHECK(curve.to_near[0].alone == Duration(210'000));
}

TEST_CASE("one of several sharers gets a fair share of what link and far memory give together") {
  // In 10 GB/s and out 5 GB/s, for four; the whole is what it was, and latency has no share.
  const TransferCosts it = costs({.sharers = 4});
  CHECK(it.to_near[0].rate == BytesPerSecond(2'500'000'000));
  CHECK(it.to_far[0].rate == BytesPerSecond(1'250'000'000));
  CHECK(it.to_near[0].latency == Duration(6'000));
  CHECK(it.to_near_peak == BytesPerSecond(10'000'000'000));
  // Far memory is shared, too: min(2, 10) GB/s.
  const TransferCosts far = costs({.far_throughput = BytesPerSecond(2'000'000'000), .sharers = 4});
  CHECK(far.to_near[0].rate == BytesPerSecond(500'000'000));
  // Near memory is each device's own: of 300 GB/s together one of two gets 100, not 150.
  const TransferCosts near = costs(
      {.link = BytesPerSecond(300'000'000'000), .far_throughput = kInfiniteRate, .sharers = 2});
  CHECK(near.to_near[0].rate == BytesPerSecond(100'000'000'000));
  CHECK(near.to_near_peak == BytesPerSecond(300'000'000'000));
  // A curve's copies likewise; those of the smallest size are all latency.
  const TransferCosts curve =
      costs({.mode = CopyMode::kPageable, .sharers = 2}, {Bytes(1'000), Bytes(1'000'000)});
  CHECK(curve.to_near[0].alone == Duration(10'000));
  CHECK(curve.to_near[1].rate == BytesPerSecond(5'000'000'000));
}

TEST_CASE("the latency override replaces the connection's share only") {
  CHECK(costs({.latency = Duration(0)}).to_near[0].latency == Duration(3'000));
}

TEST_CASE("memory that is pinned for every copy out is part of its latency") {
  const TransferCosts it = costs({.pinning = Duration(50'000)});
  CHECK(it.pinning == Duration(50'000));
  CHECK(it.to_far[0].latency == Duration(6'000 + 50'000));
  CHECK(it.to_far[0].alone == Duration(206'000 + 50'000));
  CHECK(it.to_near[0].alone == Duration(106'000));
  // Pageable memory is not pinned.
  const TransferCosts pageable =
      costs({.mode = CopyMode::kPageable, .pinning = Duration(50'000)}, {Bytes(1'000)});
  CHECK(pageable.pinning == Duration(0));
  CHECK(pageable.to_far[0].alone ==
        costs({.mode = CopyMode::kPageable}, {Bytes(1'000)}).to_far[0].alone);
}

TEST_CASE("the what-if scale doubles the connection") {
  CHECK(costs({.link_scale = Ratio(2'000'000'000)}).to_far[0].rate ==
        BytesPerSecond(10'000'000'000));
}

TEST_CASE("a curve's latency is its smallest time, and copies alone take the curve's time") {
  const TransferCosts it = costs({.mode = CopyMode::kPageable},
                                 {Bytes(1'000), Bytes(1'000'000), Bytes(10'000'000), Bytes(500)});
  CHECK(it.to_near[0].alone == Duration(10'000));
  CHECK(it.to_near[1].alone == Duration(110'000));
  CHECK(it.to_near[1].latency == Duration(10'000));
  // (110 - 10) us for 1 MB = 10 GB/s.
  CHECK(it.to_near[1].rate == BytesPerSecond(10'000'000'000));
  CHECK(it.to_near[2].alone == Duration(1'010'000));
  // Below the smallest size: the first slope in log-log, log(110/10)/log(1000) = 0.3471; 10 us x
  // 0.5^0.3471 = 7.861 us.
  CHECK(it.to_near[3].alone == Duration(7'861));
}

TEST_CASE("a link override scales a curve's rates and keeps its latency") {
  const TransferCosts it = costs(
      {.mode = CopyMode::kPageable, .link = BytesPerSecond(5'000'000'000)}, {Bytes(1'000'000)});
  // Peak of the curve 10 GB/s -> 5 GB/s: 10 us + 200 us.
  CHECK(it.to_near[0].latency == Duration(10'000));
  CHECK(it.to_near[0].alone == Duration(210'000));
}

TEST_CASE("a mode that the profile lacks is named, with those it has") {
  CHECK_THROWS_WITH_AS(
      costs({.mode = CopyMode::kUnifiedFault}),
      "machine: /connection/modes/unified_fault: found nothing, expected a transfer mode "
      "\"unified_fault\" (the profile has \"pageable\", \"pinned\")",
      SpecError);
}

TEST_CASE("a link so slow that a copy leaves the limit on times is refused, not capped") {
  // 1 MB at 1 B/s is 1e15 ns, below 2^52 = 4.5e15; 5 MB is 5e15.
  CHECK(costs({.link = BytesPerSecond(1)}).to_near[0].alone == Duration(1'000'000'000'006'000));
  CHECK_THROWS_AS(costs({.link = BytesPerSecond(1)}, {Bytes(5'000'000)}), SpecError);
}
