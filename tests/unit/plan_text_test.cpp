// The text form of a plan, byte by byte, and that the naive reader reads it back.
#include "simulator/plan/plan_text.hpp"

#include <stdexcept>

#include "simulator/plan/plan_builder.hpp"
#include "tests/support/hand_graph.hpp"
#include "tests/support/naive_simulator.hpp"
#include "tests/support/test.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

constexpr const char* kText =
    "ooc-paleo-plan 1\n"
    "budget 1000\n"
    "static 5\n"
    "devices 2\n"
    "duplex 850000000\n"
    "peak_to_far 12\n"
    "peak_to_near inf\n"
    "initial 0:100@1 image\n"
    "step 0 compute.1 compute time=7 waits=- takes=1:200,2:30 frees=0,2 name=a b\\\\\\n.forward\n"
    "step 1 to_far.1 to_far bytes=200 latency=9 rate=12 waits=0 takes=- frees=1 name=to_far y\n"
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
    costs.transfers.to_far_peak = BytesPerSecond(12);
    costs.transfers.to_near_peak = kInfiniteRate;
    costs.transfers.duplex = Ratio(850'000'000);

    PlanBuilder builder(Bytes(5), 2);
    const BlockId data = builder.tensor_block(image, Bytes(100), 1);
    builder.initially_resident(data);
    const StepId run = builder.compute(task, {0}, 1);
    const BlockId made = builder.tensor_block(y, Bytes(200), 1);
    const BlockId workspace = builder.workspace_block(task, Bytes(30), 1);
    builder.acquire(run, made);
    builder.acquire(run, workspace);
    builder.release(data, run);
    builder.release(workspace, run);
    const StepId moved = builder.to_far(y, 1);
    builder.wait(moved, run);
    builder.release(made, moved);
    const StepId back = builder.to_near(y, 0);
    builder.wait(back, run);
    builder.wait(back, moved);
    const BlockId again = builder.tensor_block(y, Bytes(200), 0);
    builder.acquire(back, again);
    builder.release(again, builder.recompute(task, {0}, 0));
    return std::move(builder).finish();
  }
};

}  // namespace

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
  CHECK(plan.peak_to_far == 12);
}

TEST_CASE("the naive reader refuses what it does not know") {
  CHECK_THROWS_AS((void)read_plan_text("ooc-paleo-plan 2\n"), std::runtime_error);
  std::string text = kText;
  text.replace(text.find("waits=0 "), 8, "later=0 ");
  CHECK_THROWS_AS((void)read_plan_text(text), std::runtime_error);
}
