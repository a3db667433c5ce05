// Which frees a step must wait for, and which waits are left when queue order implies some of them.
#include "simulator/plan/plan_builder.hpp"
#include "simulator/replay/replay_plan.hpp"
#include "tests/support/test.hpp"

namespace ooc {
namespace {

Timeline timeline_of(std::initializer_list<std::pair<int, int>> spans, Bytes peak) {
  Timeline timeline;
  for (const auto& [start, end] : spans) {
    timeline.spans.push_back({Duration(start), Duration(end)});
  }
  timeline.events = events_of(timeline.spans);
  timeline.peak_near = peak;
  return timeline;
}

constexpr AlternativeId kAny{0};

/// Three tasks make 4 bytes each, which are copied out and dropped; a copy in takes 4 more.
///   compute  0..10 takes 0, 10..20 takes 1, 20..30 takes 2
///   to_far   10..14 drops 0, 20..24 drops 1
///   to_near  24..28 takes 3
struct CopiesOut {
  StepId a, a_out, b, b_out, c, in;
  Plan plan;
  CopiesOut() {
    PlanBuilder builder{Bytes(2)};
    a = builder.compute(TaskId{0}, kAny);
    a_out = builder.to_far(TensorId{0});
    b = builder.compute(TaskId{1}, kAny);
    b_out = builder.to_far(TensorId{1});
    c = builder.compute(TaskId{2}, kAny);
    in = builder.to_near(TensorId{0});
    const StepId takers[] = {a, b, c, in};
    for (int tensor = 0; tensor < 4; ++tensor) {
      builder.acquire(takers[tensor], builder.tensor_block(TensorId{tensor % 3}, Bytes(4)));
    }
    builder.wait(a_out, a);
    builder.wait(b_out, b);
    builder.wait(in, a_out);
    builder.release(BlockId{0}, a_out);
    builder.release(BlockId{1}, b_out);
    builder.release(BlockId{2}, in);
    builder.release(BlockId{3}, in);
    plan = std::move(builder).finish();
  }
  Timeline timeline =
      timeline_of({{0, 10}, {10, 14}, {10, 20}, {20, 24}, {20, 30}, {24, 28}}, Bytes(14));
};

TEST_CASE("a step waits for the fewest frees that make room for it and all before it") {
  const CopiesOut it;
  // Taken in this order: 0, 1, 2, 3, 4 bytes each beside 2 static ones; freed: 0 (at 14), 1 (at 24).
  const MemoryOrder order = order_memory(it.plan, it.timeline, Bytes(14));
  CHECK(order.peak == Bytes(10));  // 20..24: static, 1, 2; 24..: static, 2, 3
  CHECK(order.frees[0] == BlockId{0});
  CHECK(order.frees[1] == BlockId{1});
  // 2 + 4 x 3 = 14 fit; the fourth makes 18, and one free is enough, though two have happened.
  CHECK(order.needed_frees == std::vector<std::size_t>{0, 0, 0, 0, 0, 1});
  const MemoryOrder tight = order_memory(it.plan, it.timeline, Bytes(10));
  CHECK(tight.needed_frees == std::vector<std::size_t>{0, 0, 0, 0, 1, 2});
}

TEST_CASE(
    "steps of no length end in a further round of the same instant, and before what they allow") {
  // Both want all 4 bytes at the instant 0; the first one, of no length, gives them back.
  PlanBuilder builder{Bytes(0)};
  const StepId in = builder.to_near(TensorId{0});
  const StepId task = builder.compute(TaskId{0}, kAny);
  for (const StepId step : {in, task}) {
    const BlockId block = builder.tensor_block(TensorId{0}, Bytes(4));
    builder.acquire(step, block);
    builder.release(block, step);
  }
  const Plan plan = std::move(builder).finish();
  const MemoryOrder order = order_memory(plan, timeline_of({{0, 0}, {0, 5}}, Bytes(4)), Bytes(4));
  CHECK(order.starts == std::vector<StepId>{in, task});
  CHECK(order.needed_frees == std::vector<std::size_t>{0, 1});
  CHECK(find_step_waits(plan, order).waits[task.at()] == std::vector<std::int32_t>{in.index});
}

TEST_CASE("waits for memory join those of the plan") {
  const CopiesOut it;
  const auto waits_of = [&](int budget) {
    return find_step_waits(it.plan, order_memory(it.plan, it.timeline, Bytes(budget))).waits;
  };
  const auto loose = waits_of(18);
  CHECK(loose[it.c.at()].empty());
  CHECK(loose[it.in.at()] == std::vector<std::int32_t>{it.a_out.index});
  // c waits for the first free, the copy in for both: to_far is in order, so the second one says it all.
  const auto tight = waits_of(10);
  CHECK(tight[it.c.at()] == std::vector<std::int32_t>{it.a_out.index});
  CHECK(tight[it.in.at()] == std::vector<std::int32_t>{it.b_out.index});
}

TEST_CASE("a wait that another wait or the queue implies is left out") {
  PlanBuilder builder{Bytes(0)};
  const StepId a = builder.compute(TaskId{0}, kAny);
  const StepId out = builder.to_far(TensorId{0});
  builder.wait(out, a);
  const StepId in = builder.to_near(TensorId{0});
  builder.wait(in, a);  // out has waited for it
  builder.wait(in, out);
  const StepId in_again = builder.to_near(TensorId{1});
  builder.wait(in_again, out);  // the copy in before it has waited for it
  const StepId b = builder.compute(TaskId{1}, kAny);
  builder.wait(b, a);  // its own queue
  builder.wait(b, in_again);
  const Plan plan = std::move(builder).finish();
  const MemoryOrder order =
      order_memory(plan, timeline_of({{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}}, Bytes(0)), Bytes(0));
  const StepWaits result = find_step_waits(plan, order);
  CHECK(result.waits[out.at()] == std::vector<std::int32_t>{a.index});
  CHECK(result.waits[in.at()] == std::vector<std::int32_t>{out.index});
  CHECK(result.waits[in_again.at()].empty());
  CHECK(result.waits[b.at()] == std::vector<std::int32_t>{in_again.index});
  CHECK(result.ended[b.at()] == QueueCounts{1, 1, 2});
}

}  // namespace
}  // namespace ooc
