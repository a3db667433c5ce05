// Are the lower bounds what docs/model.md says? On the worked example by hand.
#include "simulator/plan/bounds.hpp"

#include "tests/support/all_bounds.hpp"
#include "tests/support/hand_graph.hpp"
#include "tests/support/random_networks.hpp"
#include "tests/support/schedule_example.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

/// a, b, c, d: 1 GB each, 50 ms forward, 100 ms backward; one copy takes 100 ms. GB alive while the
/// tasks run: 2 2 3 4 5 5 4 2.
Workload bound_example(Ratio duplex = kOne) {
  Workload workload =
      workload_of_file(std::string(OOC_SOURCE_DIR) + "/tests/data/worked_example.json", 1);
  set_link(workload.costs, {.to_far = kTenPerSecond, .to_near = kTenPerSecond, .duplex = duplex});
  return workload;
}

LowerBounds bounds_of(const Workload& workload, Bytes budget) {
  const auto bounds = all_bounds(workload.graph, workload.costs, budget);
  REQUIRE(bounds.has_value());
  return *bounds;
}

TEST_CASE("with room for everything every bound is the compute") {
  const LowerBounds bounds = bounds_of(bound_example(), 5 * kGigabyte);
  CHECK(bounds.compute == 600 * kMillisecond);
  CHECK(bounds.link == 600 * kMillisecond);
  CHECK(bounds.cut == 600 * kMillisecond);
  CHECK(bounds.windows == 600 * kMillisecond);
}

TEST_CASE("at 3 GB cuts bound the worked example by 700 ms, and windows by what capacity takes") {
  // d.backward and c.backward each lack 2 GB. Before d.backward: a is written by 50 ms, 200 ms out:
  // 250 (compute alone: 200). d.backward: 100. After it: 200 ms in, the latest next use of a or b is
  // a.backward's 100 ms: 300 (compute alone: 300). 250 + 100 + 300 = 650.
  // c.backward: until 300, itself 100, afterwards 200 in and a.backward's 100: 700.
  const LowerBounds bounds = bounds_of(bound_example(), 3 * kGigabyte);
  CHECK(bounds.link == 600 * kMillisecond);
  CHECK(bounds.cut == 700 * kMillisecond);
  // Windows: a and b are out before d.backward starts, at 250; c.backward ends at 450. Only then b
  // comes in: b.backward from 550 to 650. Only then a: a.backward from 750 to 850, as capacity does.
  CHECK(bounds.windows == 850 * kMillisecond);
}

TEST_CASE("half duplex counts both directions against one rate") {
  // 2 GB out and 2 GB in at 10 GB/s: 400 ms, below the compute; at a tenth of the rate it is 4 s.
  Workload workload = bound_example(Ratio(500'000'000));
  CHECK(bounds_of(workload, 3 * kGigabyte).link == 600 * kMillisecond);
  set_link(workload.costs, {.to_far = BytesPerSecond(1'000'000'000),
                            .to_near = BytesPerSecond(1'000'000'000),
                            .duplex = Ratio(500'000'000)});
  CHECK(bounds_of(workload, 3 * kGigabyte).link == 4000 * kMillisecond);
  // Full duplex: 2 s each way at the same time.
  set_link(workload.costs,
           {.to_far = BytesPerSecond(1'000'000'000), .to_near = BytesPerSecond(1'000'000'000)});
  CHECK(bounds_of(workload, 3 * kGigabyte).link == 2000 * kMillisecond);
}

TEST_CASE("directions that keep different shares count with what the best order of copies takes") {
  // 2 GB each way at 1 GB/s. To far keeps all, to near half: 2 s with both, in which 1 GB comes in, then
  // 1 s for the other one. (As one sum it would be 4 GB at 1.5 GB/s, 2.67 s.)
  Workload workload = bound_example();
  const BytesPerSecond rate(1'000'000'000);
  const auto link_bound = [&](BytesPerSecond to_far, BytesPerSecond to_near, Duplex duplex) {
    set_link(workload.costs, {.to_far = to_far, .to_near = to_near, .duplex = duplex});
    return bounds_of(workload, 3 * kGigabyte).link;
  };
  CHECK(link_bound(rate, rate, Duplex(Ratio(500'000'000), kOne)) == 3000 * kMillisecond);
  CHECK(link_bound(rate, rate, Duplex(kOne, Ratio(500'000'000))) == 3000 * kMillisecond);
  // Shares of 0.8 alike: 2 s / 0.8. Of 2 and 1 GB/s: 1 s of copies out take 1.25 s beside copies in, of
  // which 1 GB comes in meanwhile; 1 s for the rest.
  CHECK(link_bound(rate, rate, Ratio(800'000'000)) == 2500 * kMillisecond);
  CHECK(link_bound(2 * rate, rate, Ratio(800'000'000)) == 2250 * kMillisecond);
}

TEST_CASE("no bound exists below the largest task, which needs 3 GB in the worked example") {
  const Workload workload = bound_example();
  CHECK(smallest_task_budget(workload.graph, workload.costs) == 3 * kGigabyte);
  CHECK_FALSE(lower_bounds(workload.graph, workload.costs, 3 * kGigabyte - Bytes(1)).has_value());
  Workload heavy = bound_example();
  heavy.costs.static_bytes = kGigabyte;
  heavy.costs.alternatives[2].workspace = 5 * kGigabyte;  // c.forward: b, c and 5 GB
  CHECK(smallest_task_budget(heavy.graph, heavy.costs) == 8 * kGigabyte);
}

TEST_CASE("a task counts with the least time and the least workspace of its alternatives") {
  Workload workload = bound_example();
  CostTable& costs = workload.costs;
  costs.alternatives[0].workspace = 9 * kGigabyte;
  // a.forward again: slower, without workspace.
  costs.alternatives.insert(costs.alternatives.begin() + 1, costs.alternatives[0]);
  costs.alternatives[1].time = 500 * kMillisecond;
  costs.alternatives[1].workspace = Bytes(0);
  for (std::size_t i = 1; i < costs.first_alternative.size(); ++i) ++costs.first_alternative[i];
  CHECK(smallest_task_budget(workload.graph, costs) == 3 * kGigabyte);
  CHECK(bounds_of(workload, 5 * kGigabyte).best() == 600 * kMillisecond);
}

// Forward f g, backward h; each 10 ns. The input (100 B) is read by f and h, g's output (60 B) by h.
TEST_CASE("a network input has a far copy already: it only needs to come in") {
  HandGraph hand;
  const TaskId f = hand.forward("f");
  const TaskId g = hand.forward("g");
  const TaskId h = hand.backward("h");
  const TensorId data = hand.input("data", 100);
  const TensorId y = hand.tensor("y", 10);
  const TensorId z = hand.tensor("z", 60);
  hand.reads(f, data);
  hand.writes(f, y);
  hand.reads(g, y);
  hand.writes(g, z);
  hand.reads(h, data);
  const TrainingGraph graph = hand.build();
  CostTable costs;
  for (std::int32_t i = 0; i < 3; ++i) {
    costs.alternatives.push_back({.time = Duration(10), .workspace = Bytes(0)});
    costs.first_alternative.push_back(i);
  }
  costs.first_alternative.push_back(3);
  costs.tensor_bytes = {Bytes(100), Bytes(10), Bytes(60)};
  set_link(costs,
           {.to_far = BytesPerSecond(1'000'000'000), .to_near = BytesPerSecond(1'000'000'000)});
  // g: data, y and z are alive, 170 B; of 120 B 50 are too many: 50 ns in after g, then h.
  MemoryPressure pressure;
  find_memory_pressure(graph, costs, Bytes(120), pressure);
  REQUIRE(pressure.feasible);
  REQUIRE(pressure.cuts.size() == 1);
  CHECK(pressure.cuts[0].task == g);
  CHECK(pressure.cuts[0].in == Bytes(50));
  CHECK(pressure.cuts[0].out == Bytes(0));
  CHECK(pressure.cuts[0].compute_after == Duration(10));
  const auto bounds = all_bounds(graph, costs, Bytes(120));
  REQUIRE(bounds.has_value());
  CHECK(bounds->cut == Duration(80));  // f 10, g 10, 50 in, h 10
  CHECK(bounds->windows == Duration(80));
}

TEST_CASE("a subset of the windows bounds no higher than all of them, and the cuts still count") {
  const Workload workload = bound_example();
  MemoryPressure pressure;
  find_memory_pressure(workload.graph, workload.costs, 3 * kGigabyte, pressure);
  const Duration all = bound_windows(workload.graph, workload.costs, pressure);
  CHECK(all == 850 * kMillisecond);
  for (std::size_t positions = 2; positions < 8; ++positions) {
    const Duration some = bound_windows(workload.graph, workload.costs, pressure, positions);
    CHECK(some <= all);
    CHECK(some >= 600 * kMillisecond);
  }
}

}  // namespace
}  // namespace ooc::test
