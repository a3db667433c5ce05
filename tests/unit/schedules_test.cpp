// Is each schedule right where the numbers can be redone by hand? The worked example of
// docs/formats.md, section 6, to the nanosecond; what "does not fit" says; in-place tensors, second
// readers and network inputs; the bytes that vDNN moves for VGG-16.
#include "simulator/engine/simulate.hpp"
#include "simulator/plan/plan_text.hpp"
#include "simulator/schedules/own_options.hpp"
#include "simulator/schedules/schedule.hpp"
#include "tests/support/plan_laws.hpp"
#include "tests/support/random_networks.hpp"
#include "tests/support/schedule_example.hpp"
#include "tests/support/test.hpp"
#include "tests/support/tiny_specs.hpp"

namespace ooc::test {
namespace {

Workload file_workload(const std::string& path, std::int64_t batch) {
  return workload_of_file(std::string(OOC_SOURCE_DIR) + "/" + path, batch);
}

/// a, b, c, d: 1 GB each, 50 ms forward, 100 ms backward; one copy takes 100 ms.
Workload plan_example() {
  Workload workload = file_workload("tests/data/worked_example.json", 1);
  set_link(workload.costs, {.to_far = kTenPerSecond, .to_near = kTenPerSecond});
  return workload;
}

PlanResult make(const Workload& workload, const char* schedule, Bytes budget) {
  const Schedule* found = find_schedule(schedule);
  REQUIRE(found != nullptr);
  PlanResult result = found->make_plan({workload.graph, workload.costs, budget});
  if (const auto* plan = std::get_if<Plan>(&result)) {
    require_valid(*plan, workload.graph, workload.costs);
  }
  return result;
}

Plan plan_of(const Workload& workload, const char* schedule, Bytes budget) {
  PlanResult result = make(workload, schedule, budget);
  REQUIRE(std::holds_alternative<Plan>(result));
  return std::get<Plan>(std::move(result));
}

OutOfMemory shortage_of(const Workload& workload, const char* schedule, Bytes budget) {
  PlanResult result = make(workload, schedule, budget);
  REQUIRE(std::holds_alternative<OutOfMemory>(result));
  return std::get<OutOfMemory>(std::move(result));
}

Timeline plan_run(const Workload& workload, const char* schedule, Bytes budget) {
  const Plan plan = plan_of(workload, schedule, budget);
  Outcome outcome = simulate({.plan = plan, .costs = workload.costs, .budget = budget});
  REQUIRE(std::holds_alternative<Timeline>(outcome));
  return std::get<Timeline>(std::move(outcome));
}

/// "to_far a", "b.forward", ...: the steps of one queue, in order.
std::vector<std::string> queue(const Workload& workload, const Plan& plan, StepKind kind) {
  std::vector<std::string> names;
  for (const StepId step : plan.queue(kind)) {
    names.push_back(step_name(plan, workload.graph, step));
  }
  return names;
}

TEST_CASE("the table lists every schedule once and finds it by its name") {
  Names names;
  for (const Schedule* schedule : schedules()) {
    names.emplace_back(schedule->name);
    CHECK(find_schedule(schedule->name) == schedule);
    CHECK_FALSE(schedule->summary.empty());
    CHECK_FALSE(schedule->source.empty());
  }
  CHECK(std::count(names.begin(), names.end(), "capacity") == 1);
  CHECK(find_schedule("capacit") == nullptr);
}

TEST_CASE("options: a copy keeps its values, whatever becomes of the original") {
  ScheduleOptions first;
  first.own.change().max_swaps = 3;
  const ScheduleOptions copy = first;
  first.own.change().max_swaps = 4;
  CHECK(copy.own->max_swaps == 3);
  CHECK(first.own->max_swaps == 4);
  CHECK_FALSE(ScheduleOptions().own->max_swaps);
  // Defaults and copies are shared: the problems of a sweep take no memory for them.
  CHECK(&*ScheduleOptions().own == &*ScheduleOptions().own);
  const ScheduleOptions again = copy;
  CHECK(&*again.own == &*copy.own);
}

TEST_CASE("in-core runs the worked example in the sum of its tasks, within 5 GB and not less") {
  const Workload workload = plan_example();
  const Timeline timeline = plan_run(workload, "in-core", 5 * kGigabyte);
  CHECK(timeline.iteration_time == 600 * kMillisecond);  // 4 x 50 + 4 x 100
  CHECK(timeline.peak_near == 5 * kGigabyte);            // d.backward: a b c d, gradient of c
  const OutOfMemory oom = shortage_of(workload, "in-core", 5 * kGigabyte - Bytes(1));
  CHECK(oom.step == "d.backward");
  CHECK(oom.wanted == kGigabyte);           // the gradient of c
  CHECK(oom.free == kGigabyte - Bytes(1));  // beside a, b, c and d
  CHECK(oom.largest_hole == oom.free);
  CHECK(oom.smallest_budget == 5 * kGigabyte);
  REQUIRE(oom.holders.size() == 4);
  CHECK(oom.holders[0].name == "a");
  CHECK(oom.holders[3].name == "d");
}

TEST_CASE("vdnn-like takes 950 ms for the worked example, and nothing less than 4 GB") {
  const Workload workload = plan_example();
  const Timeline timeline = plan_run(workload, "vdnn-like", 4 * kGigabyte);
  CHECK(timeline.iteration_time == 950 * kMillisecond);  // 50 + 3x100 + 100 + 100 + 3x100 + 100
  // c.backward: c and the gradients of c and b, and b on its way in.
  CHECK(shortage_of(workload, "vdnn-like", 4 * kGigabyte - Bytes(1)).smallest_budget ==
        4 * kGigabyte);
  const Plan plan = plan_of(workload, "vdnn-like", 4 * kGigabyte);
  CHECK(queue(workload, plan, StepKind::kToFar) ==
        Names{"to_far a", "to_far b", "to_far c", "to_far d"});
  CHECK(queue(workload, plan, StepKind::kToNear) ==
        Names{"to_near d", "to_near c", "to_near b", "to_near a"});
}

TEST_CASE("vdnn-all leaves the input of the last layer near: 700 ms for the worked example") {
  const Workload workload = plan_example();
  const Plan plan = plan_of(workload, "vdnn-all", 16 * kGigabyte);
  CHECK(queue(workload, plan, StepKind::kToFar) == Names{"to_far a", "to_far b"});
  CHECK(queue(workload, plan, StepKind::kToNear) == Names{"to_near b", "to_near a"});
  // a, b beside b, c forward; b, a beside d, c backward: 50 + 100 + 100 + 50 + 4 x 100.
  CHECK(plan_run(workload, "vdnn-all", 16 * kGigabyte).iteration_time == 700 * kMillisecond);
  // d.backward: b on its way in, c, d, the gradient of c; c.backward: a on its way in, b, c and two.
  CHECK(shortage_of(workload, "vdnn-all", Bytes(1)).smallest_budget == 5 * kGigabyte);
}

/// The worked example with a pool between a and b, which takes as long as the others.
Workload with_pool() {
  const auto custom = [](const std::string& name) {
    return R"({"name": ")" + name + R"(", "type": "custom", "output_shape": [1, 25000, 10000],
               "forward_time": "50 ms", "backward_time": "100 ms"})";
  };
  Workload workload = workload_of_text(
      tiny::network(custom("a") + R"(, {"name": "p", "type": "max_pool", "kernel": [1, 1]}, )" +
                        custom("b") + "," + custom("c") + "," + custom("d"),
                    "[1, 25000, 10000]"),
      1);
  for (std::size_t i = 0; i < workload.graph.tasks.size(); ++i) {
    const Task& task = workload.graph.tasks[i];
    if (workload.network->layers[task.layer.at()].name != "p") continue;
    const auto way = workload.costs.default_alternative(make_id<TaskId>(i));
    workload.costs.alternatives[way.at()].time =
        (task.kind == TaskKind::kForward ? 50 : 100) * kMillisecond;
  }
  set_link(workload.costs, {.to_far = kTenPerSecond, .to_near = kTenPerSecond});
  return workload;
}

TEST_CASE("vdnn-conv copies what convolutions read: 850 ms where vdnn-all takes 900") {
  // Custom layers count as convolutions: b reads p, c reads b; d's input c is the last layer's and
  // stays, a feeds the pool alone. 50 + 50 + b beside p's copy 100 + c beside b's 100 + 50 = 350; d.bw beside b
  // coming in, c.bw beside p, b.bw (the search ends at a, whose input is the network's), p.bw, a.bw: 500.
  // c.backward: a b c, gradients of c and b, and p on its way in: 6 GB.
  const Workload workload = with_pool();
  CHECK(plan_run(workload, "vdnn-conv", 6 * kGigabyte).iteration_time == 850 * kMillisecond);
  CHECK(shortage_of(workload, "vdnn-conv", 5 * kGigabyte).smallest_budget == 6 * kGigabyte);
  // vdnn-all copies a out beside the pool too, and without it 5 GB suffice: 50 + 3 x 100 + 50 + 5 x 100.
  CHECK(plan_run(workload, "vdnn-all", 5 * kGigabyte).iteration_time == 900 * kMillisecond);
  CHECK(shortage_of(workload, "vdnn-all", 4 * kGigabyte).smallest_budget == 5 * kGigabyte);
}

TEST_CASE("capacity moves no more than it must in the worked example") {
  const Workload workload = plan_example();
  const auto moved = [&](Bytes budget) {
    return queue(workload, plan_of(workload, "capacity", budget), StepKind::kToNear);
  };
  const auto time = [&](Bytes budget) {
    return plan_run(workload, "capacity", budget).iteration_time;
  };
  CHECK(moved(5 * kGigabyte).empty());
  CHECK(time(5 * kGigabyte) == 600 * kMillisecond);
  CHECK(moved(5 * kGigabyte - Bytes(1)) == Names{"to_near a"});
  CHECK(moved(4 * kGigabyte) == Names{"to_near a"});
  CHECK(time(4 * kGigabyte) == 600 * kMillisecond);
  CHECK(moved(3 * kGigabyte) == Names{"to_near b", "to_near a"});
  // Forward until 200; a goes out 50 to 150, b 150 to 250. The gradient of c finds b, c and d near, so
  // d.backward waits 50 for b to be out, until 350, c.backward until 450; there is room for b only
  // then: until 550, b.backward until 650, a until 750, a.backward until 850.
  CHECK(time(3 * kGigabyte) == 850 * kMillisecond);
  const OutOfMemory oom = shortage_of(workload, "capacity", 3 * kGigabyte - Bytes(1));
  CHECK(oom.smallest_budget == 3 * kGigabyte);
  CHECK(oom.step == "c.backward");
}

TEST_CASE("static bytes are part of every budget and the first holder") {
  Workload workload = plan_example();
  workload.costs.static_bytes = 7 * kGigabyte;
  CHECK(plan_run(workload, "capacity", 10 * kGigabyte).peak_near == 10 * kGigabyte);
  const OutOfMemory oom = shortage_of(workload, "capacity", 9 * kGigabyte);
  CHECK(oom.smallest_budget == 10 * kGigabyte);
  CHECK(oom.holders.front().bytes == 7 * kGigabyte);
  const OutOfMemory none = shortage_of(workload, "capacity", 6 * kGigabyte);
  CHECK(none.step == "a.forward");
  CHECK(none.free == Bytes(0));
  CHECK(none.smallest_budget == 10 * kGigabyte);
}

// conv1 (relu in place) -> conv2 -> sum of both -> conv3, conv4; the loss is left out.
Workload skip_network() {
  return workload_of_text(tiny::network(R"(
      {"name": "conv1", "type": "conv", "filters": 2, "kernel": [3, 3], "padding": [1, 1]},
      {"name": "relu1", "type": "relu"},
      {"name": "conv2", "type": "conv", "filters": 2, "kernel": [3, 3], "padding": [1, 1]},
      {"name": "sum", "type": "add", "inputs": ["relu1", "conv2"]},
      {"name": "conv3", "type": "conv", "filters": 2, "kernel": [3, 3], "padding": [1, 1]},
      {"name": "conv4", "type": "conv", "filters": 2, "kernel": [3, 3], "padding": [1, 1]})"),
                          1);
}

TEST_CASE("a tensor goes out after its in-place writer, and leaves with its last forward reader") {
  Workload workload = skip_network();
  set_link(workload.costs, {.to_far = kTenPerSecond, .to_near = kTenPerSecond});
  const Plan plan = plan_of(workload, "vdnn-like", kGigabyte);
  // The input is clean in far memory: it comes back without having gone out.
  CHECK(queue(workload, plan, StepKind::kToFar) ==
        Names{"to_far conv1", "to_far sum", "to_far conv3"});
  CHECK(queue(workload, plan, StepKind::kToNear) ==
        Names{"to_near conv3", "to_near sum", "to_near conv1", "to_near data"});
  const StepId out = plan.queue(StepKind::kToFar)[0];
  // relu1 (task 1) overwrites it: the copy shares a section with conv2 (task 2), its block stays
  // until sum (task 3) has read it.
  const Timeline timeline = plan_run(workload, "vdnn-like", kGigabyte);
  const auto& computes = plan.queue(StepKind::kCompute);
  CHECK(timeline.spans[out.at()].start == timeline.spans[computes[2].at()].start);
  const auto is_conv1 = [&](const Block& block) {
    return block.kind == BlockKind::kTensor &&
           tensor_name(workload.graph, TensorId{block.object}) == "conv1";
  };
  const auto first = std::find_if(plan.blocks.begin(), plan.blocks.end(), is_conv1);
  const auto id = make_id<BlockId>(static_cast<std::size_t>(first - plan.blocks.begin()));
  const auto releasers = plan.releasers[id];
  CHECK(std::find(releasers.begin(), releasers.end(), computes[3]) != releasers.end());
}

TEST_CASE("vdnn-conv copies a tensor with several readers out beside the last of them") {
  Workload workload = skip_network();
  set_link(workload.costs, {.to_far = kTenPerSecond, .to_near = kTenPerSecond});
  const Plan plan = plan_of(workload, "vdnn-conv", kGigabyte);
  // conv4's input is the last layer's and stays.
  CHECK(queue(workload, plan, StepKind::kToFar) == Names{"to_far conv1", "to_far sum"});
  // One prefetch per layer: beside conv4 X(conv3), beside conv3 X(conv2), beside conv2 X(conv1).
  CHECK(queue(workload, plan, StepKind::kToNear) ==
        Names{"to_near sum", "to_near conv1", "to_near data"});
  const Timeline timeline = plan_run(workload, "vdnn-conv", kGigabyte);
  const auto& computes = plan.queue(StepKind::kCompute);
  const StepId out = plan.queue(StepKind::kToFar)[0];
  CHECK(timeline.spans[out.at()].start == timeline.spans[computes[3].at()].start);  // sum
}

TEST_CASE("a convolution whose input is near ends vDNN's search for a prefetch") {
  Workload workload = workload_of_text(tiny::network(R"(
      {"name": "conv1", "type": "conv", "filters": 2, "kernel": [3, 3], "padding": [1, 1]},
      {"name": "conv2", "type": "conv", "filters": 2, "kernel": [3, 3], "padding": [1, 1]},
      {"name": "gelu", "type": "gelu"},
      {"name": "conv3", "type": "conv", "filters": 2, "kernel": [3, 3], "padding": [1, 1]},
      {"name": "conv4", "type": "conv", "filters": 2, "kernel": [3, 3], "padding": [1, 1]})"),
                                       1);
  const Plan plan = plan_of(workload, "vdnn-conv", kGigabyte);
  const Names in = queue(workload, plan, StepKind::kToNear);
  CHECK(in == Names{"to_near gelu", "to_near conv1", "to_near data"});
  // Beside conv4 X(conv3), beside conv3 X(conv2). Beside gelu nothing: conv2 is next and has its
  // input. So the data comes beside conv2, after gelu.
  const StepId data = plan.queue(StepKind::kToNear)[2];
  Names waits;
  for (const StepId step : plan.waits[data]) waits.push_back(step_name(plan, workload.graph, step));
  CHECK(std::count(waits.begin(), waits.end(), "gelu.backward") == 1);
}

TEST_CASE("a network input that backward never reads dies with its last reader and never moves") {
  const Workload workload = plan_example();
  const Plan plan = plan_of(workload, "capacity", 3 * kGigabyte);
  REQUIRE(plan.initial_blocks.size() == 1);
  const auto releasers = plan.releasers[plan.initial_blocks[0]];
  REQUIRE(releasers.size() == 1);
  CHECK(step_name(plan, workload.graph, releasers[0]) == "a.forward");
}

/// Sum of the copied bytes in GB.
double copied(const Workload& workload, const Plan& plan, StepKind kind) {
  Bytes sum;
  for (const StepId step : plan.queue(kind)) {
    sum += workload.costs.tensor_bytes[static_cast<std::size_t>(plan.steps[step.at()].object)];
  }
  return static_cast<double>(sum.count()) / 1e9;
}

TEST_CASE("vDNN moves the published bytes for VGG-16 at batch 256") {
  const Workload workload = file_workload("networks/vgg16.json", 256);
  const Bytes plenty(std::int64_t{1} << 40);
  const Plan all = plan_of(workload, "vdnn-all", plenty);
  CHECK(copied(workload, all, StepKind::kToNear) == doctest::Approx(15.568).epsilon(0.001));
  CHECK(copied(workload, all, StepKind::kToFar) == doctest::Approx(15.414).epsilon(0.001));
  const Plan conv = plan_of(workload, "vdnn-conv", plenty);
  CHECK(copied(workload, conv, StepKind::kToNear) == doctest::Approx(9.300).epsilon(0.001));
  CHECK(copied(workload, conv, StepKind::kToFar) == doctest::Approx(9.146).epsilon(0.001));
}

}  // namespace
}  // namespace ooc::test
