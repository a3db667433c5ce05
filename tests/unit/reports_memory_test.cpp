// Does memory over time follow the blocks, to the instant, and is it known what it holds?
#include "reports_example.hpp"
#include "simulator/summary/memory_use.hpp"
#include "simulator/summary/tensor_policies.hpp"
#include "tests/support/test.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

std::vector<std::pair<std::int64_t, std::int64_t>> plain(const std::vector<MemorySample>& samples) {
  std::vector<std::pair<std::int64_t, std::int64_t>> result;
  for (const MemorySample& sample : samples) {
    result.emplace_back(sample.at.count(), sample.held.total().count());
  }
  return result;
}

using Samples = std::vector<std::pair<std::int64_t, std::int64_t>>;
using Category = MemoryCategory;

BytesByCategory held(std::initializer_list<std::pair<Category, std::int64_t>> parts) {
  BytesByCategory bytes;
  for (const auto& [category, count] : parts) bytes[category] = Bytes(count);
  return bytes;
}

/// Its static bytes are of weights.
struct Weighed : Example {
  Weighed() { graph.weight_bytes = 100; }
};

std::vector<MemorySample> near_of(const Example& example) {
  return near_memory_over_time(example.the_plan(), example.graph, example.timeline());
}
BytesByCategory near_peak_of(const Example& example) {
  return near_memory_at_peak(example.the_plan(), example.graph, example.timeline()).held;
}
BytesByCategory far_peak_of(const Example& example, const Plan& plan, const Timeline& timeline) {
  return peak_far_by_category(plan, example.graph, example.costs, timeline);
}

/// The example's costs with a link: none of the reports needs one but the list of tensors that move.
CostTable with_latency(CostTable costs, Duration latency) {
  costs.transfers.to_near.assign(costs.tensor_bytes.size(), {latency, kInfiniteRate, latency});
  return costs;
}

}  // namespace

TEST_CASE("near memory over time changes where blocks are taken and freed") {
  const Example example;
  // At 50 data goes and Yb comes, at 250 Yc and Ya go and Ya and dYa come: the sum stays. At 450 Ya is there.
  CHECK(plain(near_of(example)) == Samples{{0, 2100},
                                           {50'000, 2100},
                                           {100'000, 3100},
                                           {150'000, 4100},
                                           {250'000, 4100},
                                           {350'000, 2100},
                                           {450'000, 2100},
                                           {550'000, 100}});
}

TEST_CASE("steps of zero length hold what they take while they run within an instant") {
  // Two zero-length computes in a row, each taking 10 B and freeing them at its end: never 20 B.
  PlanBuilder builder(Bytes(0));
  for (int task = 0; task < 2; ++task) {
    const StepId step = builder.compute(TaskId{task}, AlternativeId{task});
    builder.take_workspace(step, TaskId{task}, Bytes(10));
  }
  const Plan plan = std::move(builder).finish();
  Timeline timeline;
  timeline.spans = {{us(1), us(1)}, {us(1), us(1)}};
  timeline.events = events_of(timeline.spans);
  timeline.iteration_time = us(1);
  CHECK(plain(near_memory_over_time(plan, Example().graph, timeline)) ==
        Samples{{0, 0}, {1000, 10}, {1000, 0}});
}

TEST_CASE("a far copy lives from the start of its copy out to the end of its last copy in") {
  const Example example;
  const Plan& plan = example.the_plan();
  CHECK(far_peak_of(example, plan, example.timeline()).total() == Bytes(1000));

  // A second tensor (b) that goes out at the instant a comes back needs no more far memory; a
  // nanosecond earlier it does.
  Plan two = plan;
  Step out = plan.steps[1];
  out.object = plan.steps[1].object + 1;
  two.steps.push_back(out);
  Timeline timeline = example.timeline();
  timeline.spans.push_back({us(450), us(500)});
  timeline.events = events_of(timeline.spans);
  CHECK(far_peak_of(example, two, timeline).total() == Bytes(1000));
  // The same from what no times change, as sweeps have it.
  two.queues[queue_index(StepKind::kToFar)].push_back(make_id<StepId>(two.steps.size() - 1));
  const std::optional<FarUse> use = far_use(two, example.graph, example.costs);
  REQUIRE(use);
  CHECK(peak_far_bytes(*use, timeline) == Bytes(1000));
  timeline.spans.back().start = us(450) - Duration(1);
  timeline.events = events_of(timeline.spans);
  CHECK(far_peak_of(example, two, timeline).total() == Bytes(2000));
  CHECK(peak_far_bytes(*use, timeline) == Bytes(2000));
}

TEST_CASE("network inputs need no far memory: the host has them anyway") {
  const Example example;
  Plan plan = example.the_plan();
  for (std::size_t i = 0; i < example.graph.tensors.size(); ++i) {
    if (example.graph.tensors[i].role != TensorRole::kInput) continue;
    plan.steps[1].object = plan.steps[5].object = static_cast<std::int32_t>(i);
  }
  CHECK(far_peak_of(example, plan, example.timeline()).total() == Bytes(0));
}

TEST_CASE("a peak is told by what it consists of, when it is reached first") {
  const Weighed example;
  // At 150 us: Ya, whose copy out lasts till 250, Yb and Yc, which backward will read, dYb, 100 B of weights.
  CHECK(near_peak_of(example) == held({{Category::kWeights, 100},
                                       {Category::kSaved, 3000},
                                       {Category::kActivationGradients, 1000}}));
  // In far memory Ya, on its way from 50 us on.
  CHECK(far_peak_of(example, example.the_plan(), example.timeline()) ==
        held({{Category::kInFlight, 1000}}));
}

TEST_CASE("what an allocator holds beyond what lives is unused") {
  Weighed example;
  std::get<Timeline>(*example.outcome).peak_near = Bytes(4612);
  CHECK(near_peak_of(example) == held({{Category::kWeights, 100},
                                       {Category::kSaved, 3000},
                                       {Category::kActivationGradients, 1000},
                                       {Category::kUnused, 512}}));
}

TEST_CASE("memory by category changes with what happens to a tensor, also where the sum stays") {
  const Weighed example;
  const auto samples = near_of(example);
  const auto at = [&](std::int64_t instant) {
    BytesByCategory last;
    for (const MemorySample& sample : samples) {
      if (sample.at <= us(instant)) last = sample.held;
    }
    last[Category::kWeights] -= Bytes(100);
    return last;
  };
  CHECK(at(0) == held({{Category::kInputs, 1000}, {Category::kSaved, 1000}}));
  CHECK(at(50) == held({{Category::kSaved, 2000}}));
  // Ya comes back till 450 while dYb is read till 350 and dYa written.
  CHECK(at(250) == held({{Category::kSaved, 1000},
                         {Category::kActivationGradients, 2000},
                         {Category::kInFlight, 1000}}));
  CHECK(at(350) == held({{Category::kActivationGradients, 1000}, {Category::kInFlight, 1000}}));
  CHECK(at(450) == held({{Category::kSaved, 1000}, {Category::kActivationGradients, 1000}}));
  CHECK(at(550) == BytesByCategory{});
}

TEST_CASE("a tensor that has been copied out is an activation while forward still reads it there") {
  Weighed example;
  Timeline& timeline = std::get<Timeline>(*example.outcome);
  timeline.spans[1].end = us(60);  // b.forward reads Ya till 100
  timeline.events = events_of(timeline.spans);
  const auto samples = near_of(example);
  REQUIRE(samples.size() > 2);
  CHECK(samples[2].at == us(60));
  CHECK(
      samples[2].held ==
      held({{Category::kWeights, 100}, {Category::kSaved, 1000}, {Category::kActivations, 1000}}));
}

TEST_CASE("what backward does not read is an activation, and so is what it will not read there") {
  Weighed example;
  // Nobody copies Ya out: the task that reads it in backward reads what comes back, of another block.
  Plan& plan = std::get<Plan>(example.plan);
  plan.steps[1].object = plan.steps[1].object + 1;  // the copy is one of Yb
  const auto samples = near_of(example);
  CHECK(samples.front().held[Category::kActivations] == Bytes(1000));
  CHECK(samples.front().held[Category::kSaved] == Bytes(0));
}

TEST_CASE("a far copy is in flight, then saved, and an activation once backward has read it") {
  Example example;
  // It stays until the end of the iteration: the copy in is one of Yb.
  Plan& plan = std::get<Plan>(example.plan);
  plan.steps[5].object = plan.steps[5].object + 1;
  Timeline& timeline = std::get<Timeline>(*example.outcome);
  timeline.iteration_time = us(600);
  const auto samples = far_memory_over_time(plan, example.graph, example.costs, example.timeline());
  REQUIRE(samples.size() == 4);
  CHECK(samples[0].at == us(50));
  CHECK(samples[0].held == held({{Category::kInFlight, 1000}}));
  CHECK(samples[1].at == us(250));
  CHECK(samples[1].held == held({{Category::kSaved, 1000}}));
  CHECK(samples[2].at == us(550));
  CHECK(samples[2].held == held({{Category::kActivations, 1000}}));
  CHECK(samples[3].at == us(600));
  CHECK(samples[3].held == BytesByCategory{});
}

TEST_CASE("a tensor that moves is listed with its stay away, its wait and the rate that hides it") {
  const Example example;
  const auto moved_with = [&](Duration latency) {
    return moved_tensors(example.the_plan(), example.graph, with_latency(example.costs, latency),
                         example.timeline());
  };
  const std::vector<MovedTensor> moved = moved_with(us(50));
  REQUIRE(moved.size() == 1);
  CHECK(moved[0].tensor == "a");
  CHECK(moved[0].bytes == Bytes(1000));
  CHECK(moved[0].out == us(50));
  CHECK(moved[0].back == us(450));
  CHECK(moved[0].wait == us(100));
  CHECK(moved[0].cause == StallCause::kSwapIn);
  // From b.forward to a.backward: 50 + 100 + 100 us, less 50 of latency.
  CHECK(moved[0].hides_at == BytesPerSecond(5'000'000));
  CHECK(moved_with(us(249))[0].hides_at == BytesPerSecond(1'000'000'000));
  CHECK_FALSE(moved_with(us(250))[0].hides_at.has_value());
}

TEST_CASE("a copy in without one out, and one out without one in, are listed as what they are") {
  Example example;
  Plan& plan = std::get<Plan>(example.plan);
  for (std::size_t i = 0; i < example.graph.tensors.size(); ++i) {
    if (example.graph.tensors[i].role == TensorRole::kInput) {
      plan.steps[5].object = static_cast<std::int32_t>(i);
    }
  }
  const auto moved =
      moved_tensors(plan, example.graph, with_latency(example.costs, us(0)), example.timeline());
  REQUIRE(moved.size() == 2);
  CHECK(moved[0].tensor == "a");
  CHECK_FALSE(moved[0].back.has_value());
  CHECK(moved[0].wait == us(0));
  CHECK_FALSE(moved[0].cause.has_value());
  CHECK(moved[1].tensor == "data");
  CHECK_FALSE(moved[1].out.has_value());
  CHECK(moved[1].back == us(450));
  CHECK(moved[1].wait == us(100));
}
