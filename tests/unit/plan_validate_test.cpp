// Each rule of validate_plan by a plan that breaks it and nothing else. The sound plan is a network of
// two convolutions with an in-place activation between them: its output y1 is moved out and back.
//
//   0 conv1.forward      writes y1              4 to_near y1         after 2 and 3
//   1 relu1.forward      reads, writes y1       5 conv2.backward     reads y1, y2, writes g1; after 4
//   2 to_far y1          after 1                6 conv1.backward     reads data, g1
//   3 conv2.forward      reads y1, writes y2
#include "simulator/plan/plan_builder.hpp"
#include "tests/support/hand_graph.hpp"
#include "tests/support/test.hpp"
#include "tests/support/validate_plan.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

constexpr Bytes kSize{100};

using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;

void drop(Pairs& pairs, std::int32_t first, std::int32_t second) {
  const auto found = std::find(pairs.begin(), pairs.end(), std::pair(first, second));
  REQUIRE(found != pairs.end());
  pairs.erase(found);
}

struct Network2 {
  HandGraph hand;
  TaskId conv1 = hand.forward("conv1"), relu1 = hand.forward("relu1"),
         conv2 = hand.forward("conv2");
  TaskId conv2_back = hand.backward("conv2"), conv1_back = hand.backward("conv1");
  TensorId data = hand.input("data"), y1 = hand.tensor("y1"), y2 = hand.tensor("y2"),
           g1 = hand.tensor("g1");
  TrainingGraph graph = build();
  CostTable costs = make_costs();

  TrainingGraph build() {
    hand.reads(conv1, data);
    hand.writes(conv1, y1);
    hand.reads(relu1, y1);
    hand.writes(relu1, y1);
    hand.reads(conv2, y1);
    hand.writes(conv2, y2);
    for (const TensorId read : {y1, y2}) hand.reads(conv2_back, read);
    hand.writes(conv2_back, g1);
    for (const TensorId read : {data, g1}) hand.reads(conv1_back, read);
    return hand.build();
  }
  static CostTable make_costs() {
    CostTable result;
    for (std::int32_t task = 0; task <= 5; ++task) result.first_alternative.push_back(task);
    result.alternatives.resize(5);
    result.alternatives[2].workspace = Bytes(50);  // conv2.forward
    result.tensor_bytes.assign(4, kSize);
    return result;
  }
};

/// Block numbers: 0 data, 1 y1, 2 y2, 3 workspace of conv2.forward, 4 y1 again, 5 g1.
struct Draft {
  Network2 net;
  std::vector<Step> steps{compute(net.conv1),
                          compute(net.relu1),
                          copy(StepKind::kToFar, net.y1),
                          compute(net.conv2),
                          copy(StepKind::kToNear, net.y1),
                          compute(net.conv2_back),
                          compute(net.conv1_back)};
  std::vector<Block> blocks{
      tensor(net.data), tensor(net.y1),
      tensor(net.y2),   {.bytes = Bytes(50), .kind = BlockKind::kWorkspace, .object = 2},
      tensor(net.y1),   tensor(net.g1)};
  Pairs waits{{2, 1}, {4, 2}, {4, 3}, {5, 4}};
  Pairs acquires{{0, 1}, {3, 2}, {3, 3}, {4, 4}, {5, 5}};
  Pairs releases{{0, 6}, {1, 2}, {1, 3}, {2, 5}, {3, 3}, {4, 5}, {5, 6}};  // block, step
  std::vector<std::int32_t> initial{0};

  static Step compute(TaskId task) {
    return {.kind = StepKind::kCompute, .object = task.index, .alternative = {task.index}};
  }
  static Step copy(StepKind kind, TensorId of) {
    return {.kind = kind, .object = of.index, .alternative = {}};
  }
  static Block tensor(TensorId of) { return {.bytes = kSize, .object = of.index}; }

  std::string objection() const {
    PlanBuilder builder(Bytes(0));
    for (const Step& step : steps) {
      if (step.kind == StepKind::kToFar) {
        builder.to_far(TensorId{step.object});
      } else if (step.kind == StepKind::kToNear) {
        builder.to_near(TensorId{step.object});
      } else if (step.recompute) {
        builder.recompute(TaskId{step.object}, step.alternative);
      } else {
        builder.compute(TaskId{step.object}, step.alternative);
      }
    }
    for (const Block& block : blocks) builder.add(block);
    for (const auto& [step, until] : waits) builder.wait({step}, {until});
    for (const auto& [step, block] : acquires) builder.acquire({step}, {block});
    for (const auto& [block, step] : releases) builder.release({block}, {step});
    for (const std::int32_t block : initial) builder.initially_resident({block});
    return validate_plan(std::move(builder).finish(), net.graph, net.costs).value_or("sound");
  }
};

}  // namespace

TEST_CASE("a sound plan passes") { CHECK(Draft().objection() == "sound"); }

TEST_CASE("a plan that waits on itself names a step on the cycle") {
  Draft draft;
  draft.waits.emplace_back(3, 4);  // 4 waits for 3, too
  const std::string objection = draft.objection();
  const bool named = objection == "step 3 (conv2.forward): waits on itself" ||
                     objection == "step 4 (to_near y1): waits on itself";
  CHECK_MESSAGE(named, objection);
}

TEST_CASE("a step that waits for one behind it on its queue waits on itself") {
  Draft draft;
  draft.waits.emplace_back(0, 6);
  CHECK(has(draft.objection(), "waits on itself"));
}

TEST_CASE("a task that never runs is named") {
  Draft draft;
  draft.steps[6] = Draft::copy(StepKind::kToFar, draft.net.data);
  CHECK(draft.objection() == "task 4 (conv1.backward) has no step that runs it first");
}

TEST_CASE("a task that runs twice is rejected, a declared recompute is not") {
  Draft draft;
  draft.steps.push_back(Draft::compute(draft.net.conv1));
  CHECK(draft.objection() == "step 7 (conv1.forward): this task has already run as step 0");

  // As a recompute it writes y1 anew, into a block of its own (6), and is sound.
  draft.steps[7].recompute = true;
  draft.blocks.push_back(Draft::tensor(draft.net.y1));
  draft.acquires.emplace_back(7, 6);
  draft.releases.emplace_back(6, 7);
  drop(draft.releases, 0, 6);
  draft.releases.emplace_back(0, 7);  // data stays until then
  CHECK(draft.objection() == "sound");
}

TEST_CASE("a recompute before the first run is rejected") {
  Draft draft;
  draft.steps[1].recompute = true;
  CHECK(draft.objection() ==
        "step 1 (relu1.forward): repeats a task that has not certainly run before");
}

TEST_CASE("an alternative of another task is rejected") {
  Draft draft;
  draft.steps[3].alternative = {1};
  CHECK(draft.objection() == "step 3 (conv2.forward): alternative 1 is not one of this task's");
}

TEST_CASE("a task whose input is brought by a copy it does not wait for is rejected") {
  Draft draft;
  drop(draft.waits, 5, 4);
  draft.waits.emplace_back(6, 4);
  draft.releases[5] = {4, 6};  // and the block stays until step 6, which does wait
  CHECK(draft.objection() ==
        "step 5 (conv2.backward): 'y1' is not certainly resident: it does not wait for step 4, "
        "which brings it");
}

TEST_CASE("a tensor that may be dropped before its last forward reader ends is rejected") {
  Draft draft;
  drop(draft.releases, 1, 3);  // freed when the copy out ends: conv2 may still run
  CHECK(draft.objection() ==
        "step 3 (conv2.forward): 'y1' is not certainly resident: block 1 may be freed before this "
        "step ends");
}

TEST_CASE("a read after release is rejected") {
  Draft draft;
  drop(draft.releases, 0, 6);
  draft.releases.emplace_back(0, 5);
  CHECK(draft.objection() ==
        "step 6 (conv1.backward): 'data' is not certainly resident: block 0 may be freed before "
        "this step ends");
}

TEST_CASE("a near copy dropped before it was moved out is found by the copy back in") {
  Draft draft;
  draft.steps[2] = Draft::copy(StepKind::kToFar, draft.net.data);  // moves something else
  CHECK(draft.objection() ==
        "step 4 (to_near y1): no copy of 'y1' to far memory has certainly ended before it");
}

TEST_CASE("a copy in that does not wait for the copy out is rejected") {
  Draft draft;
  drop(draft.waits, 4, 2);
  CHECK(draft.objection() ==
        "step 4 (to_near y1): no copy of 'y1' to far memory has certainly ended before it");
}

TEST_CASE("a network input may be fetched without having been moved out") {
  // data is dropped after conv1.forward and fetched before conv1.backward into block 6.
  Draft draft;
  draft.steps.push_back(Draft::copy(StepKind::kToNear, draft.net.data));
  draft.blocks.push_back(Draft::tensor(draft.net.data));
  drop(draft.releases, 0, 6);
  draft.releases.emplace_back(0, 0);
  draft.acquires.emplace_back(7, 6);
  draft.releases.emplace_back(6, 6);
  draft.waits.emplace_back(6, 7);
  CHECK(draft.objection() == "sound");

  drop(draft.waits, 6, 7);
  CHECK(has(draft.objection(), "block 6"));  // may now be freed before it is taken
}

TEST_CASE("an input's block that no copy fills holds nothing") {
  Draft draft;
  draft.initial.clear();
  draft.acquires.emplace_back(0, 0);
  CHECK(draft.objection() ==
        "step 0 (conv1.forward): takes a block for the network input 'data', which only a copy can "
        "fill");
}

TEST_CASE("a copy out that does not wait for the last writer is rejected") {
  Draft draft;
  draft.waits[0] = {2, 0};  // only for conv1, not for relu1, which writes y1 in place
  CHECK(draft.objection() == "step 2 (to_far y1): does not wait for step 1, which writes 'y1'");
}

TEST_CASE("a gradient is not added to while it may still be copied out") {
  HandGraph hand;
  const TaskId first = hand.backward("first"), second = hand.backward("second");
  const TensorId gradient = hand.gradient("gradient");
  hand.writes(first, gradient);
  hand.writes(second, gradient);
  const TrainingGraph graph = hand.build();
  CostTable costs;
  costs.alternatives.resize(2);
  costs.first_alternative = {0, 1, 2};
  costs.tensor_bytes = {kSize};
  const auto objection = [&](bool wait) {
    PlanBuilder builder(Bytes(0));
    const StepId create = builder.compute(first, {0});
    const StepId move = builder.to_far(gradient);
    const StepId add = builder.compute(second, {1});
    builder.wait(move, create);
    if (wait) builder.wait(add, move);
    const BlockId block = builder.tensor_block(gradient, kSize);
    builder.acquire(create, block);
    builder.release(block, move);
    builder.release(block, add);
    return validate_plan(std::move(builder).finish(), graph, costs).value_or("sound");
  };
  CHECK(objection(false) ==
        "step 2 (second.backward): writes 'gradient.grad' while step 1 may still copy it out");
  CHECK(objection(true) == "sound");
}

TEST_CASE("a copy out between two writers brings back an unfinished tensor") {
  Draft draft;
  draft.waits[0] = {2, 0};
  draft.waits.emplace_back(1, 2);  // relu1 waits for it: no race, but the copy is stale
  CHECK(draft.objection() ==
        "step 5 (conv2.backward): 'y1' holds the work of 1 of its writers where 2 are needed");
}

TEST_CASE("an output without a block is rejected") {
  Draft draft;
  drop(draft.acquires, 5, 5);
  draft.acquires.emplace_back(6, 5);  // taken by the reader instead
  CHECK(
      draft.objection() ==
      "step 5 (conv2.backward): 'g1' is not certainly resident: no near copy of it has been made");
}

TEST_CASE("a reader that takes a block of its own for its input finds nothing in it") {
  Draft draft;
  draft.blocks.push_back(Draft::tensor(draft.net.g1));
  draft.acquires.emplace_back(6, 6);
  draft.releases.emplace_back(6, 6);
  CHECK(draft.objection() ==
        "step 6 (conv1.backward): 'g1' holds the work of 0 of its writers where 1 are needed");
}

TEST_CASE("a task without its workspace is rejected") {
  Draft draft;
  draft.blocks[3].bytes = Bytes(49);
  CHECK(draft.objection() == "step 3 (conv2.forward): has no workspace of 50 bytes until its end");
}

TEST_CASE("a block taken twice, never taken, never freed or too small is rejected") {
  SUBCASE("twice") {
    Draft draft;
    draft.acquires.emplace_back(6, 5);
    CHECK(draft.objection() == "step 6 (conv1.backward): block 5 has already been taken");
  }
  SUBCASE("never") {
    Draft draft;
    drop(draft.acquires, 5, 5);
    CHECK(draft.objection() == "block 5 is never taken");
  }
  SUBCASE("never freed") {
    Draft draft;
    drop(draft.releases, 5, 6);
    CHECK(draft.objection() == "step 5 (conv2.backward): block 5 is taken and never freed");
  }
  SUBCASE("too small") {
    Draft draft;
    draft.blocks[5].bytes = Bytes(99);
    CHECK(draft.objection() == "step 5 (conv2.backward): block 5 is smaller than 'g1'");
  }
}

TEST_CASE("a block that may be freed before it is taken is rejected") {
  Draft draft;
  draft.releases.emplace_back(5, 4);  // the copy in may end before conv2.backward starts
  CHECK(draft.objection() ==
        "step 4 (to_near y1): frees block 5, which step 5 may take only later");
}

TEST_CASE("only network inputs are resident from the start") {
  Draft draft;
  drop(draft.acquires, 5, 5);
  draft.initial.push_back(5);
  CHECK(draft.objection() == "block 5 is resident from the start but holds no network input");
}
