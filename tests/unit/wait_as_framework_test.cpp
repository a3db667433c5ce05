// How copies wait in a framework: the plans, and what they come to on the worked example (docs/formats.md, section 6).
#include "simulator/plan/wait_as_framework.hpp"

#include "simulator/plan/plan_builder.hpp"
#include "tests/support/schedule_example.hpp"
#include "tests/support/test.hpp"
#include "tests/support/waiting_copies.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

constexpr CopyRules kOverlap;
constexpr CopyRules kFramework{.streams = CopyStreams::kFramework};
constexpr CopyRules kSerialIn{.streams = CopyStreams::kSerialIn};
constexpr CopyRules kSerial{.streams = CopyStreams::kSerial};

std::vector<StepId> waits_of(const Plan& plan, std::size_t step) {
  const auto waits = plan.waits[make_id<StepId>(step)];
  return {waits.begin(), waits.end()};
}

std::vector<StepId> ids(std::initializer_list<std::int32_t> numbers) {
  std::vector<StepId> found;
  for (const std::int32_t number : numbers) found.push_back(StepId{number});
  return found;
}

/// Places in near memory for the first tensors: copies of what has none are an exchange between devices.
void place(PlanBuilder& builder, int tensors) {
  for (int i = 0; i < tensors; ++i) builder.tensor_block(TensorId{i}, Bytes(1));
}

/// Milliseconds that the schedule's plan takes by these rules.
double time_of(const ScheduleExample& example, Bytes budget, const CopyRules& rules) {
  const Plan plan = example.plan(budget);
  const test::Workload& it = example.workload;
  const Duration time = run_waiting({plan, it.graph, it.costs, budget}, rules, true);
  return static_cast<double>(time.count()) / 1e6;
}

}  // namespace

TEST_CASE("capacity on the worked example: which copies hide") {
  const ScheduleExample example = worked_example("capacity");
  // One tensor, a, out behind a's 50 ms and in for a's backward, the last of four of 100 ms.
  CHECK(time_of(example, kGigabyte * 4, kOverlap) == 600);
  // In behind b's backward, at 500: 100 ms more.
  CHECK(time_of(example, kGigabyte * 4, kFramework) == 700);
  // And b waits for it to be out.
  CHECK(time_of(example, kGigabyte * 4, kSerial) == 800);
  // Two move and nothing hides: 4 x 50 + 4 x 100 + 4 x 100.
  CHECK(time_of(example, kGigabyte * 3, kSerial) == 1000);
}

TEST_CASE("barriers on the worked example: copies are issued beside their section") {
  const ScheduleExample example = worked_example("vdnn-like");
  const Bytes budget = kGigabyte * 4;
  // 50, three sections of max(50, 100), d's copy out; d's copy in, three of max(100, 100), 100.
  CHECK(time_of(example, budget, kOverlap) == 950);
  // When a section begins, the task behind it is the first that cannot be issued: the copy waits for the one before.
  CHECK(time_of(example, budget, kFramework) == 950);
  CHECK(time_of(example, budget, kSerialIn) == 1250);  // 450, then four copies and tasks in a row
  CHECK(time_of(example, budget, kSerial) == 1400);
}

TEST_CASE(
    "a copy in is issued when its trigger has ended, behind the tasks up to the first that waits") {
  // Tasks 0 to 3; 2 waits for a copy of tensor 1, 3 for one of tensor 2, which is queued first.
  const auto plan_of = [](bool late) {
    PlanBuilder builder(Bytes(0));
    place(builder, 3);
    const StepId first = builder.compute({0}, {0});
    std::optional<StepId> far;
    if (!late) far = builder.to_near({2});
    const StepId near = builder.to_near({1});
    builder.compute({1}, {1});
    const StepId third = builder.compute({2}, {2});
    if (late) far = builder.to_near({2});
    const StepId last = builder.compute({3}, {3});
    builder.wait(*far, late ? third : first);
    builder.wait(near, first);
    builder.wait(third, near);
    builder.wait(last, *far);
    return wait_as_framework(std::move(builder).finish(), kFramework);
  };
  // Both wait for task 0, so both are issued while task 2 cannot be: 0, 1, near, far, 2, 3.
  const Plan early = plan_of(false);
  CHECK(early.steps[2].object == 1);
  CHECK(early.steps[3].object == 2);
  CHECK(waits_of(early, 2) == ids({1, 0}));
  CHECK(waits_of(early, 3) == ids({1, 0}));
  CHECK(waits_of(early, 4) == ids({2}));
  CHECK(waits_of(early, 5) == ids({3}));
  // When task 2 has ended task 3 is the one that cannot: 0, 1, near, 2, far, 3.
  const Plan late = plan_of(true);
  CHECK(late.steps[4].object == 2);
  CHECK(waits_of(late, 4) == ids({3}));
}

TEST_CASE("a barrier names the last copy in only: those before it stay before it") {
  PlanBuilder builder(Bytes(0));
  place(builder, 2);
  builder.to_near({0});
  const StepId second = builder.to_near({1});
  builder.compute({0}, {0});
  const StepId reader = builder.compute({1}, {1});
  builder.wait(reader, second);
  const Plan plan = wait_as_framework(std::move(builder).finish(), kFramework);
  CHECK(plan.steps[0].kind == StepKind::kCompute);
  CHECK(plan.steps[1].object == 0);
  CHECK(plan.steps[2].object == 1);
  CHECK(waits_of(plan, 1) == ids({0}));
}

TEST_CASE("a copy out waits for the task behind which it is issued, and serial for all copies") {
  PlanBuilder builder(Bytes(0));
  place(builder, 1);
  const StepId first = builder.compute({0}, {0});
  builder.compute({1}, {1});
  const StepId out = builder.to_far({0});
  builder.wait(out, first);
  builder.compute({2}, {2});
  const Plan plan = std::move(builder).finish();
  const Plan framework = wait_as_framework(plan, kFramework);
  CHECK(waits_of(framework, 2) == ids({1, 0}));
  CHECK(waits_of(framework, 3).empty());
  CHECK(waits_of(wait_as_framework(plan, kSerialIn), 3).empty());
  const Plan serial = wait_as_framework(plan, kSerial);
  CHECK(waits_of(serial, 3) == ids({2}));
}

TEST_CASE("with one copy out in flight, a task waits for the copy before the latest") {
  PlanBuilder builder(Bytes(0));
  place(builder, 2);
  for (std::int32_t i = 0; i < 2; ++i) {
    const StepId step = builder.compute({i}, {i});
    builder.wait(builder.to_far({i}), step);
  }
  builder.compute({2}, {2});
  const Plan plan = wait_as_framework(std::move(builder).finish(), {.outs_in_flight = 1});
  CHECK(waits_of(plan, 2).empty());  // the first copy may still run
  CHECK(waits_of(plan, 4) == ids({1}));
  CHECK(change_plans({.outs_in_flight = 1}, CopyMode::kPinned));
}

TEST_CASE("what devices exchange stays as it is") {
  PlanBuilder builder(Bytes(0));
  builder.compute({0}, {0});
  const StepId sent = builder.to_far({7});
  const StepId fetched = builder.to_near({8});
  builder.compute({1}, {1});
  const StepId reads = builder.compute({2}, {2});
  builder.wait(fetched, sent);
  builder.wait(reads, fetched);
  const Plan plan = std::move(builder).finish();
  const Plan serial = wait_as_framework(plan, kSerial);
  CHECK(serial.steps[2].kind == StepKind::kToNear);
  CHECK(waits_of(serial, 1).empty());
  CHECK(waits_of(serial, 3).empty());
}

TEST_CASE("what is no wait stays: blocks, compression in far memory, copies on demand") {
  const Plan plan = worked_example("capacity").plan(kGigabyte * 3);
  Plan half = plan;
  half.far_compression = Ratio(500'000'000);
  const Plan waiting = wait_as_framework(half, kSerial);
  CHECK(waiting.far_compression == half.far_compression);
  CHECK(waiting.blocks.size() == plan.blocks.size());
  CHECK(waiting.steps.size() == plan.steps.size());
  PlanBuilder builder(Bytes(0));
  builder.on_demand(builder.to_near({0}));
  CHECK(wait_as_framework(std::move(builder).finish(), kFramework).steps[0].on_demand);
}

TEST_CASE("pinning memory for a copy out takes the host, which issues nothing else meanwhile") {
  ScheduleExample example = worked_example("capacity");
  set_pinning(example.workload.costs, kMillisecond * 3);
  const CopyRules rules{.pinned_cost = kMillisecond * 3};
  // b starts 3 ms after a has ended, and so does a's copy out.
  CHECK(time_of(example, kGigabyte * 4, rules) == 603);
  const Plan plan = wait_as_framework(example.plan(kGigabyte * 4), rules);
  std::vector<std::int64_t> delays;
  list_pinning(plan, rules.pinned_cost, delays);
  CHECK(delays[0] == 0);
  CHECK(plan.steps[1].kind == StepKind::kToFar);
  CHECK(delays[2] == 3'000'000);
  const Outcome outcome =
      simulate({.plan = plan, .costs = example.workload.costs, .budget = kGigabyte * 4});
  const Timeline& timeline = std::get<Timeline>(outcome);
  CHECK(timeline.stall_totals[static_cast<std::size_t>(StallCause::kLaunch)] == kMillisecond * 3);
  CHECK(timeline.spans[1].end == kMillisecond * 153);
  // Serial: the wait for the copy covers it. 600, and 103 out and 100 in.
  CopyRules serial = kSerial;
  serial.pinned_cost = rules.pinned_cost;
  CHECK(time_of(example, kGigabyte * 4, serial) == 803);
}

TEST_CASE("blocks of far memory are as large as the next power of two") {
  Plan plan = worked_example("capacity").plan(kGigabyte * 3);
  CHECK(plan.far_bytes(kGigabyte) == kGigabyte);
  plan = wait_as_framework(plan, {.far_powers_of_two = true});
  CHECK(plan.far_bytes(kGigabyte) == Bytes(std::int64_t{1} << 30));
  CHECK(plan.far_bytes(Bytes(0)) == Bytes(0));
  CHECK(plan.far_bytes(Bytes(1)) == Bytes(1));
  CHECK(plan.far_bytes(Bytes(4096)) == Bytes(4096));
  CHECK(plan.far_bytes(Bytes(4097)) == Bytes(8192));
  plan.far_compression = kOne + kOne;
  CHECK(plan.far_bytes(Bytes(4097)) == Bytes(4096));  // 2049 of them
  CHECK(change_plans({.far_powers_of_two = true}, CopyMode::kPinned));
  CHECK(change_plans({}, CopyMode::kPageable));
  CHECK_FALSE(change_plans({}, CopyMode::kPinned));
}
