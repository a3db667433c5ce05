// What PlanBuilder::finish() makes of its calls.
#include "simulator/plan/plan_builder.hpp"

#include "model/base/errors.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

namespace {

template <class Item>
std::vector<std::int32_t> indices(std::span<const Item> row) {
  std::vector<std::int32_t> result;
  for (const Item item : row) result.push_back(item.index);
  return result;
}

using Indices = std::vector<std::int32_t>;

}  // namespace

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
  CHECK(queued.needs == std::array<std::int32_t, 3>{3, 1, 0});
  CHECK_FALSE(queued.remote_needs);
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
  CHECK(plan.queued[2][0].needs == std::array<std::int32_t, 3>{1, 0, 0});
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

TEST_CASE("a step takes no block of another device") {
  PlanBuilder builder(Bytes(0), 2);
  const StepId step = builder.compute({0}, {0}, 0);
  const BlockId elsewhere = builder.tensor_block({0}, Bytes(1), 1);
  CHECK_THROWS_AS(builder.acquire(step, elsewhere), InternalError);
}
