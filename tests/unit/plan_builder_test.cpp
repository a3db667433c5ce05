// What PlanBuilder::finish() makes of its calls.
#include "simulator/plan/plan_builder.hpp"

#include <stdexcept>

#include "model/base/errors.hpp"
#include "simulator/plan/plan_text.hpp"
#include "tests/support/hand_graph.hpp"
#include "tests/support/naive_simulator.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

template <class Item>
std::vector<std::int32_t> indices(std::span<const Item> row) {
  std::vector<std::int32_t> result;
  for (const Item item : row) result.push_back(item.index);
  return result;
}

using Indices = std::vector<std::int32_t>;

TEST_CASE("duplicate waits and releasers are dropped, the first stays where it was") {
  PlanBuilder builder(Bytes(0));
  const StepId a = builder.compute({0}, {0});
  const StepId b = builder.to_far({0});
  const StepId c = builder.to_near({0});
  const BlockId block = builder.tensor_block({0}, Bytes(7));
  builder.acquire(a, block);
  for (const StepId until : {b, a, b, a}) builder.wait(c, until);
  for (const StepId releaser : {c, b, c}) builder.release(block, releaser);
  const Plan plan = std::move(builder).finish();
  CHECK(indices(plan.waits[c]) == Indices{1, 0});
  CHECK(indices(plan.releasers[block]) == Indices{2, 1});
  CHECK(indices(plan.releases[b]) == Indices{0});
  CHECK(plan.releases[a].empty());
}

TEST_CASE("duplicates are found in long rows, too") {
  PlanBuilder builder(Bytes(0));
  for (int i = 0; i < 20; ++i) builder.compute({i}, {i});
  const StepId last = builder.to_far({0});
  for (int i = 0; i < 20; ++i) builder.wait(last, {i});
  for (int i = 19; i >= 0; --i) builder.wait(last, {i});
  const Plan plan = std::move(builder).finish();
  CHECK(plan.waits[last].size() == 20);
  CHECK(plan.waits[last].front().index == 0);
  CHECK(plan.waits[last].back().index == 19);
}

TEST_CASE("waits for one queue become one number, that of the last step waited for") {
  PlanBuilder builder(Bytes(0));
  for (int i = 0; i < 3; ++i) builder.compute({i}, {i});
  const StepId out = builder.to_far({0});
  const StepId in = builder.to_near({0});
  builder.wait(in, {2});
  builder.wait(in, {0});
  builder.wait(in, out);
  const Plan plan = std::move(builder).finish();
  const QueuedStep& queued = plan.queued[2][0];
  CHECK(queued.step == in);
  CHECK(queued.needs == ByQueue<std::int32_t>{3, 1, 0, 0});
}

TEST_CASE("waits, acquires and releases may come before the steps and blocks they name") {
  PlanBuilder builder(Bytes(0));
  builder.wait({1}, {0});
  builder.acquire({1}, {0});
  builder.release({0}, {1});
  builder.compute({0}, {0});
  builder.to_near({0});
  builder.tensor_block({0}, Bytes(7));
  const Plan plan = std::move(builder).finish();
  CHECK(plan.queued[2][0].needs == ByQueue<std::int32_t>{1, 0, 0, 0});
  CHECK(plan.queued[2][0].acquired == Bytes(7));
  CHECK(plan.queued[2][0].released == Bytes(7));
}

TEST_CASE("a wait for a step that was never added is our bug") {
  PlanBuilder builder(Bytes(0));
  builder.wait(builder.compute({0}, {0}), {1});
  CHECK_THROWS_AS((void)std::move(builder).finish(), InternalError);
}

TEST_CASE("a block is counted at its releaser where only one can be the last, else shared") {
  PlanBuilder builder(Bytes(0));
  const StepId write = builder.compute({0}, {0});
  const StepId out = builder.to_far({0});
  const StepId read = builder.compute({1}, {1});
  builder.wait(out, write);
  const BlockId moved = builder.tensor_block({0}, Bytes(10));  // writer, copy and reader
  const BlockId kept = builder.tensor_block({1}, Bytes(3));    // writer and copy
  builder.acquire(write, moved);
  builder.acquire(write, kept);
  for (const StepId step : {write, out, read}) builder.release(moved, step);
  for (const StepId step : {write, out}) builder.release(kept, step);
  const Plan plan = std::move(builder).finish();
  CHECK(plan.queued[0][0].acquired == Bytes(13));
  // `write` ends before the others start: of `moved` either the copy or the reader is last, of `kept`
  // always the copy.
  CHECK(plan.queued[0][0].released == Bytes(0));
  CHECK(plan.queued[1][0].released == Bytes(3));
  CHECK(indices(plan.shared_releases[out]) == Indices{0});
  CHECK(indices(plan.shared_releases[read]) == Indices{0});
  CHECK(plan.shared_releases[write].empty());
  CHECK(plan.shared_release_counts == std::vector<std::int32_t>{2, 0});
}

// The text form of a plan, byte by byte, and that the naive reader reads it back.

constexpr const char* kText =
    "ooc-paleo-plan 3\n"
    "budget 1000\n"
    "static 5\n"
    "duplex 850000000\n"
    "initial 0:100 image\n"
    "step 0 compute compute time=7 waits=- takes=1:200,2:30 frees=0,2 name=a b\\\\\\n.forward\n"
    "step 1 to_far to_far bytes=200 latency=9 rate=12 waits=0 takes=- frees=1 name=to_far y\n"
    "step 2 to_near to_near bytes=200 latency=0 rate=inf waits=0,1 takes=3:200 frees=- "
    "name=to_near y\n"
    "step 3 compute recompute time=7 waits=- takes=- frees=3 name=a b\\\\\\n.forward\n";

struct TextExample {
  HandGraph hand;
  TaskId task = hand.forward("a b\\\n");
  TensorId image = hand.input("image"), y = hand.tensor("y");
  TrainingGraph graph = hand.build();
  CostTable costs;
  Plan plan = build();

  Plan build() {
    costs.alternatives.resize(1);
    costs.alternatives[0].time = Duration(7);
    costs.first_alternative = {0, 1};
    costs.tensor_bytes = {Bytes(100), Bytes(200)};
    const TransferCost out{Duration(9), BytesPerSecond(12), Duration(0)};
    const TransferCost in{Duration(0), kInfiniteRate, Duration(0)};
    costs.transfers.to_far = {out, out};
    costs.transfers.to_near = {in, in};
    costs.transfers.duplex = Ratio(850'000'000);

    PlanBuilder builder(Bytes(5));
    const BlockId data = builder.tensor_block(image, Bytes(100));
    builder.initially_resident(data);
    const StepId run = builder.compute(task, {0});
    const BlockId made = builder.tensor_block(y, Bytes(200));
    builder.acquire(run, made);
    builder.take_workspace(run, task, Bytes(30));
    builder.release(data, run);
    const StepId moved = builder.to_far(y);
    builder.wait(moved, run);
    builder.release(made, moved);
    const StepId back = builder.to_near(y);
    builder.wait(back, run);
    builder.wait(back, moved);
    const BlockId again = builder.tensor_block(y, Bytes(200));
    builder.acquire(back, again);
    builder.release(again, builder.recompute(task, {0}));
    return std::move(builder).finish();
  }
};

TEST_CASE("the text form of a plan holds everything that running it takes") {
  const TextExample it;
  CHECK(write_plan_text(it.plan, it.graph, it.costs, Bytes(1000)) == kText);
}

TEST_CASE("unequal shares of the link stand on a line each") {
  TextExample it;
  it.costs.transfers.duplex = Duplex(Ratio(500'000'000), Ratio(960'000'000));
  std::string expected = kText;
  expected.replace(expected.find("duplex 850000000"), 16,
                   "duplex_to_far 960000000\nduplex_to_near 500000000");
  CHECK(write_plan_text(it.plan, it.graph, it.costs, Bytes(1000)) == expected);
  const NaivePlan plan = read_plan_text(expected);
  CHECK(plan.duplex_to_far == 960'000'000);
  CHECK(plan.duplex_to_near == 500'000'000);
}

TEST_CASE("the naive reader refuses what it does not know") {
  CHECK_THROWS_AS((void)read_plan_text("ooc-paleo-plan 1\n"), std::runtime_error);
  std::string text = kText;
  text.replace(text.find("waits=0 "), 8, "later=0 ");
  CHECK_THROWS_AS((void)read_plan_text(text), std::runtime_error);
}

}  // namespace
}  // namespace ooc::test
