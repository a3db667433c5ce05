// Is the number of rounds the one that takes least time? A layer of which 100 samples run in one to a
// hundred rounds; what a round takes is said here, so that every sum can be redone by hand.
#include "simulator/schedules/sub_batch.hpp"

#include "tests/support/random_networks.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

constexpr const char* kLayer =
    R"({"format": "ooc-paleo/network", "version": 1, "name": "one", "source": "a test",
"inputs": [{"name": "data", "shape": [1]}],
"layers": [{"name": "l", "type": "custom", "output_shape": [250], "forward_time": "1 ns", "backward_time": "1 ns"}]})";

using TimeOfRound = std::function<std::int64_t(std::int64_t samples)>;

struct Chosen {
  std::int64_t samples = 0;
  std::set<std::int64_t> tried;
};

RoundsRequest request_of(const Workload& workload, Bytes budget, Bytes budget_of_round) {
  return {.graph = workload.graph,
          .costs = workload.costs,
          .budget = budget,
          .sub_batch = {.kind = SubBatch::Kind::kAuto},
          .costs_at = [](std::int64_t batch) { return workload_of_text(kLayer, batch).costs; },
          .plan =
              [&workload, budget_of_round](const CostTable& costs) {
                return find_schedule("in-core")->make_plan(
                    {.graph = workload.graph, .costs = costs, .budget = budget_of_round});
              }};
}

/// 100 samples in the memory of half of them: eq. 3 gives two rounds of 50. A round takes 1004 bytes a sample; what
/// it has to fit into may be less than eq. 3 thinks, or more.
Chosen choose(const TimeOfRound& time_of_round, bool by_trial = true,
              Bytes budget_of_round = Bytes(75'000)) {
  const Workload workload = workload_of_text(kLayer, 100);
  Chosen chosen;
  // Per sample 4 bytes of input and 1000 of output are there while the layer runs.
  RoundsRequest request = request_of(workload, Bytes(50 * 1004), budget_of_round);
  if (by_trial) {
    request.evaluate = [&](const Plan&, const CostTable& costs) {
      chosen.tried.insert(costs.batch);
      return Trial{.iteration_time = Duration(time_of_round(costs.batch))};
    };
  }
  REQUIRE(balanced_sub_batch(request) == 50);
  const PlannedIteration result = plan_in_rounds(request);
  REQUIRE(std::holds_alternative<Plan>(result.plan));
  chosen.samples = result.iteration == nullptr ? 100 : result.iteration->sub_batch;
  return chosen;
}

TEST_CASE("without trials the sub-batch is that of eq. 3") {
  CHECK(choose({}, false).samples == 50);
}

TEST_CASE("as many rounds as eq. 3 gives are cut as evenly as may be") {
  const Workload workload = workload_of_text(kLayer, 256);
  const RoundsRequest request = request_of(workload, Bytes(197 * 1004), Bytes(1'000'000));
  REQUIRE(balanced_sub_batch(request) == 197);
  CHECK(plan_in_rounds(request).iteration->sub_batch == 128);
}

TEST_CASE("where fewer samples do not help the fewest rounds are taken") {
  // 1000 a round and 10 a sample: two rounds take 3000, more of them more.
  CHECK(choose([](std::int64_t samples) { return 1000 + 10 * samples; }).samples == 50);
}

TEST_CASE(
    "of several numbers of rounds the one of least time is taken, and those beside it are looked "
    "at") {
  // 100 a sample and 100 for every sample by which a round misses 20. Tried: 2 rounds of 50: 2 x (5000 +
  // 3000) = 16000; 3 of 34, 34 and 32: 14000; 4 of 25: 12000; 5 of 20: 10000; 6 of 17 and 15: 5 x 2000 + 2000 =
  // 12000; 8 of 13 and 9: 7 x 2000 + 2000 = 16000; more: more.
  const Chosen chosen =
      choose([](std::int64_t samples) { return 100 * samples + 100 * std::abs(samples - 20); });
  CHECK(chosen.samples == 20);
  CHECK(chosen.tried.contains(17));
  CHECK(chosen.tried.contains(20));
}

TEST_CASE(
    "rounds are tried down to a single sample, four numbers from each power of two to the next") {
  // The square of its samples a round, and some more where it is one: 100 rounds take 500, 50 of 2 take 200.
  const Chosen chosen = choose(
      [](std::int64_t samples) { return samples == 1 ? std::int64_t{5} : samples * samples; });
  CHECK(chosen.samples == 2);
  // 2 to 8 rounds, then 10, 12, 14, 16, 20, 24, 28, 32, 40, 48 (3 again), 56 (2), 64 and on (2), 100; and what is
  // left of 100 samples for the last round of each.
  for (const std::int64_t size : {50, 34, 25, 20, 17, 15, 13, 10, 9, 8, 7, 5, 4, 3, 2, 1}) {
    CHECK(chosen.tried.contains(size));
  }
  CHECK_FALSE(chosen.tried.contains(100));
  CHECK_FALSE(chosen.tried.contains(12));
}

TEST_CASE("fewer rounds than those of eq. 3 are tried, too, if they fit with slower algorithms") {
  CHECK(choose([](std::int64_t samples) { return 1000 + 10 * samples; }, true, Bytes(1'000'000))
            .samples == 100);
}

TEST_CASE("where the sub-batch of eq. 3 does not fit fewer samples than do are tried, too") {
  // In-core, a sample takes at least 1004 bytes: at most 29 fit. Time as above, least with 20: 4 rounds of
  // 25, 6 of 17, then 5 of 20.
  const Chosen chosen =
      choose([](std::int64_t samples) { return 100 * samples + 100 * std::abs(samples - 20); },
             true, Bytes(30'000));
  CHECK(chosen.samples == 20);
  CHECK_FALSE(chosen.tried.contains(50));
}

TEST_CASE("when a round takes no longer than its tasks no more rounds are tried") {
  // The layer forward and backward: 2 ns.
  const Chosen chosen = choose([](std::int64_t) { return 2; });
  CHECK(chosen.samples == 50);
  CHECK(chosen.tried == std::set<std::int64_t>{50});
}

}  // namespace
}  // namespace ooc::test
