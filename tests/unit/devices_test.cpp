// Gradients cut into pieces, and two devices that exchange them, of which one is simulated.
//
// The machine of the examples: two devices, copies at 2 GB/s in each direction, no latency, duplex 1;
// adding up a piece takes 0.1 ms. Layers run forward in 1 ms and backward in 2 ms; each has 2 MB of gradients,
// which is a piece: of it a device fetches 1 MB (the other's sums for it), adds up, and fetches 1 MB of results, 0.5 ms each.
#include "model/rewrite/data_parallel.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/plan/plan_builder.hpp"
#include "simulator/plan/plan_text.hpp"
#include "simulator/plan/weave_exchange.hpp"
#include "simulator/schedules/schedule.hpp"
#include "tests/support/iteration_of.hpp"
#include "tests/support/random_networks.hpp"
#include "tests/support/test.hpp"
#include "tests/support/validate_plan.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

constexpr std::int64_t kMegabyte = 1'000'000;
constexpr Bytes kPlenty{std::int64_t{1} << 40};

std::string layer(const std::string& name) {
  return R"({"name": ")" + name +
         R"(", "type": "custom", "output_shape": [10], "forward_time": "1 ms",
          "backward_time": "2 ms", "parameters": 500000})";
}

std::string chain(const std::string& layers) {
  return R"({"format": "ooc-paleo/network", "version": 1, "name": "chain", "source": "test",
           "dtype": "float32", "inputs": [{"name": "data", "shape": [10]}], "layers": [)" +
         layers + "]}";
}

/// A network on some devices, in-core.
struct DeviceExample {
  explicit DeviceExample(const std::string& text, int devices = 2,
                         Bytes piece = Bytes(2 * kMegabyte))
      : workload(workload_of_text(text, 1)) {
    const BytesPerSecond rate(2'000 * kMegabyte);
    const LinkSpec link{.to_far = rate, .to_near = rate};
    set_link(workload.costs, link);
    const auto one =
        std::make_shared<const Iteration>(iteration_of(workload.graph, workload.costs));
    all = write_out_exchange(workload.graph, one,
                             {.devices = devices,
                              .reduce_cost =
                                  [](std::int64_t, std::int64_t) {
                                    return TaskAlternative{.algorithm = Algorithm::kDefault,
                                                           .time = Duration(100'000),
                                                           .workspace = Bytes(0),
                                                           .seconds = 1e-4};
                                  },
                              .piece = piece});
    set_link(all.costs, link);
  }

  [[nodiscard]] Plan plan(Exchange exchange) const {
    const PlanResult planned = find_schedule("in-core")->make_plan(
        {.graph = workload.graph, .costs = workload.costs, .budget = kPlenty});
    return weave_exchange(std::get<Plan>(planned), all, exchange);
  }
  [[nodiscard]] std::int64_t microseconds(Exchange exchange) const {
    const Outcome outcome =
        simulate({.plan = plan(exchange), .costs = all.costs, .budget = kPlenty});
    return std::get<Timeline>(outcome).iteration_time.count() / 1000;
  }
  [[nodiscard]] std::string unsound(const Plan& plan) const {
    return validate_plan(plan, *all.graph, all.costs).value_or("");
  }

  Workload workload;
  Iteration all;
};

/// `plan` without the wait of the first step named `name` for the step named `until`.
Plan without_wait(const DeviceExample& example, const Plan& plan, const std::string& name,
                  const std::string& until) {
  PlanBuilder builder(plan.static_bytes);
  for (const Block& block : plan.blocks) builder.add(block);
  for (const BlockId block : plan.initial_blocks) builder.initially_resident(block);
  const auto name_of = [&](StepId id) { return step_name(plan, *example.all.graph, id); };
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const StepId id = builder.add(plan.steps[i]);
    for (const StepId wait : plan.waits[id]) {
      if (name_of(id) != name || name_of(wait) != until) builder.wait(id, wait);
    }
    for (const BlockId block : plan.acquires[id]) builder.acquire(id, block);
    for (const BlockId block : plan.releases[id]) builder.release(block, id);
  }
  return std::move(builder).finish();
}

}  // namespace

TEST_CASE("the batch is split evenly, and the largest share counts") {
  CHECK(largest_share(256, 2) == 128);
  CHECK(largest_share(10, 4) == 3);
  CHECK(largest_share(3, 3) == 1);
}

TEST_CASE("gradients are cut in the order in which backward completes them") {
  // a, b, c with 2 MB each; backward completes c (task 3), then b (4), then a (5). Pieces of 2.4 MB on two
  // devices: c and 0.4 MB of b; 1.6 MB of b and 0.8 MB of a; the rest, 1.2 MB of a.
  const DeviceExample example(chain(layer("a") + "," + layer("b") + "," + layer("c")), 2,
                              Bytes(2'400'000));
  REQUIRE(example.all.parallel.pieces.size() == 3);
  CHECK(example.all.parallel.pieces[0].ready == 4);
  CHECK(example.all.parallel.pieces[1].ready == 5);
  CHECK(example.all.parallel.pieces[2].ready == 5);
  CHECK(example.all.parallel.pieces[0].shard == Bytes(1'200'000));
  CHECK(example.all.parallel.pieces[2].shard == Bytes(600'000));
}

TEST_CASE("shards are equal, the last one padded") {
  // 2,000,000 B on three devices: 666,667 B each.
  const DeviceExample example(chain(layer("a")), 3);
  CHECK(example.all.parallel.pieces[0].shard == Bytes(666'667));
  CHECK(example.unsound(example.plan(Exchange::kEnd)) == "");
}

TEST_CASE("two devices exchange one piece behind the backward pass") {
  // Forward 0-1, backward 1-3, in 3-3.5, add 3.5-3.6, in 3.6-4.1 ms.
  const DeviceExample example(chain(layer("a")));
  CHECK(example.microseconds(Exchange::kEnd) == 4100);
}

TEST_CASE("one piece is added up while another comes") {
  // Backward ends at 6. In 6-6.5 and 6.5-7; adds 6.5-6.6 and 7-7.1; results in 7-7.5 and 7.5-8.
  const DeviceExample example(chain(layer("a") + "," + layer("b")));
  CHECK(example.microseconds(Exchange::kEnd) == 8000);
}

TEST_CASE("exchanged as they come, pieces of the last layers travel during backward") {
  // b's piece is complete at 4: in 4-4.5. It would have come before a's backward ends at 6, so it is added up then:
  // 6-6.1. a's piece comes 6-6.5, b's results 6.5-7 behind it; a's are added up 6.5-6.6, in 7-7.5.
  const DeviceExample example(chain(layer("a") + "," + layer("b")));
  CHECK(example.microseconds(Exchange::kOverlap) == 7500);
  CHECK(example.unsound(example.plan(Exchange::kOverlap)) == "");
  // b's piece is complete at 4; 4 MB at 2 GB/s.
  MemoryPressure pressure;
  find_memory_pressure(example.workload.graph, example.workload.costs, kPlenty, pressure);
  CHECK(exchange_bound(example.all, Exchange::kOverlap, pressure) == Duration(6'000'000));
  // All that is fetched behind the backward pass.
  CHECK(exchange_bound(example.all, Exchange::kEnd, pressure) == Duration(8'000'000));
}

TEST_CASE("kernels beside an exchange take longer by what it takes of them") {
  // Beside a's backward, 2 ms, b's piece takes 1 ms and a quarter of the kernels' speed: 2.25 ms.
  DeviceExample example(chain(layer("a") + "," + layer("b")));
  slow_beside_exchange({.throughput = kInfiniteRate, .taken = Ratio(250'000'000)}, example.all);
  CHECK(example.microseconds(Exchange::kOverlap) == 7750);
}

TEST_CASE("what is exchanged has names") {
  const DeviceExample example(chain(layer("a")));
  const TrainingGraph& graph = *example.all.graph;
  CHECK(task_name(graph, task_beside_exchange(example.all, TaskId{1})) == "a.backward");
  CHECK(task_name(graph, reduce_task(example.all, 0)) == "gradients.0.reduce");
  const TensorId received = exchanged_tensor(example.all, 0, ExchangePart::kReceived);
  CHECK(tensor_name(graph, received) == "gradients.0.received");
}

TEST_CASE("a plan that does not wait for what it exchanges is unsound") {
  const DeviceExample example(chain(layer("a")));
  const Plan plan = example.plan(Exchange::kEnd);
  REQUIRE(example.unsound(plan) == "");
  // Fetches what, as on this device, may not have been completed yet.
  const Plan early = without_wait(example, plan, "to_near gradients.0.received", "a.backward");
  CHECK(has(example.unsound(early), "'gradients.0.received' is not certainly made"));
  // Adds up what may not have come yet.
  const Plan blind =
      without_wait(example, plan, "gradients.0.reduce", "to_near gradients.0.received");
  CHECK(has(example.unsound(blind), "'gradients.0.received' has not certainly come"));
  // Gathers what may not be added up yet.
  const Plan hasty =
      without_wait(example, plan, "to_near gradients.0.gathered", "gradients.0.reduce");
  CHECK(has(example.unsound(hasty), "'gradients.0.gathered' is not certainly made"));
}
