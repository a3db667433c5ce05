// Does memory over time follow the blocks, to the instant?
#include <doctest/doctest.h>

#include "reports_example.hpp"
#include "simulator/summary/memory_use.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

std::vector<std::pair<std::int64_t, std::int64_t>> plain(const std::vector<MemorySample>& samples) {
  std::vector<std::pair<std::int64_t, std::int64_t>> result;
  for (const MemorySample& sample : samples) {
    result.emplace_back(sample.at.count(), sample.bytes.count());
  }
  return result;
}

using Samples = std::vector<std::pair<std::int64_t, std::int64_t>>;

}  // namespace

TEST_CASE("near memory over time changes where blocks are taken and freed") {
  const Example example;
  const auto samples = near_memory_over_time(
      {.plan = example.the_plan(), .timeline = example.timeline(), .budget = Bytes(4100)});
  // At 50 data goes and Yb comes, at 250 Yc and Ya go and Ya and dYa come: no change to be seen.
  CHECK(plain(samples) ==
        Samples{{0, 2100}, {100'000, 3100}, {150'000, 4100}, {350'000, 2100}, {550'000, 100}});
}

TEST_CASE("steps of zero length hold what they take while they run within an instant") {
  // Two zero-length computes in a row, each taking 10 B and freeing them at its end: never 20 B.
  PlanBuilder builder(Bytes(0));
  for (int task = 0; task < 2; ++task) {
    const StepId step = builder.compute(TaskId{task}, AlternativeId{task});
    const BlockId block = builder.workspace_block(TaskId{task}, Bytes(10));
    builder.acquire(step, block);
    builder.release(block, step);
  }
  const Plan plan = std::move(builder).finish();
  Timeline timeline;
  timeline.spans = {{us(1), us(1)}, {us(1), us(1)}};
  timeline.iteration_time = us(1);
  const auto samples =
      near_memory_over_time({.plan = plan, .timeline = timeline, .budget = Bytes(100)});
  CHECK(plain(samples) == Samples{{0, 0}, {1000, 10}, {1000, 0}});
}

TEST_CASE("a far copy lives from the start of its copy out to the end of its last copy in") {
  const Example example;
  const Plan& plan = example.the_plan();
  CHECK(peak_far_bytes(plan, example.graph, example.costs, example.timeline()) == Bytes(1000));

  // A second tensor (b) that goes out at the instant a comes back needs no more far memory; a
  // nanosecond earlier it does.
  Plan two = plan;
  Step out = plan.steps[1];
  out.object = plan.steps[1].object + 1;
  two.steps.push_back(out);
  Timeline timeline = example.timeline();
  timeline.spans.push_back({us(450), us(500)});
  CHECK(peak_far_bytes(two, example.graph, example.costs, timeline) == Bytes(1000));
  timeline.spans.back().start = us(450) - Duration(1);
  CHECK(peak_far_bytes(two, example.graph, example.costs, timeline) == Bytes(2000));
}

TEST_CASE("network inputs need no far memory: the host has them anyway") {
  const Example example;
  Plan plan = example.the_plan();
  for (std::size_t i = 0; i < example.graph.tensors.size(); ++i) {
    if (example.graph.tensors[i].role != TensorRole::kInput) continue;
    plan.steps[1].object = plan.steps[5].object = static_cast<std::int32_t>(i);
  }
  CHECK(peak_far_bytes(plan, example.graph, example.costs, example.timeline()) == Bytes(0));
}
