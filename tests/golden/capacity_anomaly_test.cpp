// Has the known anomaly of capacity changed? On graphs with skips more memory can cost time. Here data
// (4 elements) feeds a and c, b follows a, d joins b and c (5 elements); a copy out takes 100 ns an
// element, a copy in 1 ns. d.forward holds b, c and d: 10 elements.
//
// With room for 13 data cannot stay: it is dropped after c.forward and fetched again.
//     a 0-10, b 10-20, c 20-30, d 30-70; a out 10-110; data in 70-74, c back 74-84;
//     a in 110-111, b back 111-121, a back 121-131.
// With room for 14 data stays, and its 4 elements beside d's 10 leave none for a, whose near copy
// lasts until it is out: d.forward waits for that.
//     a, b, c until 30, a out 10-110, d 110-150, c back 150-160, a in 150-151, b back 160-170, a 180.
// With room for 15 nothing moves: 100 ns.
#include "simulator/engine/simulate.hpp"
#include "simulator/schedules/schedule.hpp"
#include "tests/support/random_networks.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

TEST_CASE("on a graph with a skip capacity is slower in 56 bytes than in 52") {
  // The network's tasks but d's take their stated times; d moves 2 x 20 bytes at 1 GB/s: 40 ns.
  Workload workload =
      workload_of_file(std::string(OOC_SOURCE_DIR) + "/tests/data/capacity_anomaly.json", 1);
  set_link(workload.costs,
           {.to_far = BytesPerSecond(40'000'000), .to_near = BytesPerSecond(4'000'000'000)});
  const auto time_in = [&](std::int64_t elements) {
    const Bytes budget(4 * elements);
    const PlanResult result =
        find_schedule("capacity")->make_plan({workload.graph, workload.costs, budget});
    REQUIRE(std::holds_alternative<Plan>(result));
    const Outcome outcome =
        simulate({.plan = std::get<Plan>(result), .costs = workload.costs, .budget = budget});
    REQUIRE(std::holds_alternative<Timeline>(outcome));
    return std::get<Timeline>(outcome).iteration_time.count();
  };
  CHECK(time_in(13) == 131);
  CHECK(time_in(14) == 180);
  CHECK(time_in(15) == 100);
}

}  // namespace
}  // namespace ooc::test
