// Do unified, unified-prefetch and unified-prefetch+ page as their heads say, where the sums can be redone by hand? And are
// tensors cut without losing a byte, and faults priced as docs/model.md says?
#include "model/base/errors.hpp"
#include "model/cost/transfer_cost.hpp"
#include "model/hardware/profile_json.hpp"
#include "model/rewrite/parts.hpp"
#include "simulator/plan/plan_text.hpp"
#include "simulator/schedules/schedule.hpp"
#include "tests/support/plan_laws.hpp"
#include "tests/support/random_networks.hpp"
#include "tests/support/schedule_example.hpp"
#include "tests/support/test.hpp"
#include "tests/support/tiny_specs.hpp"

namespace ooc::test {
namespace {

/// a, b, c, d: 1 GB each, 50 ms forward, 100 ms backward; copies of 100 ms.
Workload paging_example() {
  Workload workload =
      workload_of_file(std::string(OOC_SOURCE_DIR) + "/tests/data/worked_example.json", 1);
  const BytesPerSecond rate(10'000'000'000);
  set_link(workload.costs, {.to_far = rate, .to_near = rate});
  return workload;
}

struct PagingRan {
  Plan plan;
  Timeline timeline;
  Names copies;  ///< "to_far a", in the order in which they start

  [[nodiscard]] Duration time() const { return timeline.iteration_time; }
  [[nodiscard]] Duration stall(StallCause cause) const {
    return timeline.stall_totals[static_cast<std::size_t>(cause)];
  }
};

PagingRan paging_run(const Workload& workload, const char* schedule, Bytes budget) {
  PlanResult made = find_schedule(schedule)->make_plan(
      {.graph = workload.graph, .costs = workload.costs, .budget = budget});
  REQUIRE(std::holds_alternative<Plan>(made));
  PagingRan ran{std::get<Plan>(std::move(made)), {}, {}};
  ran.timeline = require_run(ran.plan, workload.graph, workload.costs, budget);
  for (std::size_t i = 0; i < ran.plan.steps.size(); ++i) {
    if (ran.plan.steps[i].kind == StepKind::kCompute) continue;
    ran.copies.push_back(step_name(ran.plan, workload.graph, make_id<StepId>(i)));
  }
  return ran;
}

TEST_CASE("what fits is in-core: no copy, no fault") {
  const Workload workload = paging_example();
  for (const char* schedule : {"unified", "unified-prefetch", "unified-prefetch+"}) {
    const PagingRan ran = paging_run(workload, schedule, 5 * kGigabyte);
    CHECK(ran.copies.empty());
    CHECK(ran.time() == 600 * kMillisecond);  // 4 x 50 + 4 x 100
    CHECK(ran.timeline.peak_near == 5 * kGigabyte);
  }
}

TEST_CASE(
    "at 4 GB the one tensor that leaves costs its two copies, or one if it is fetched ahead") {
  const Workload workload = paging_example();
  const PagingRan on_demand = paging_run(workload, "unified", 4 * kGigabyte);
  CHECK(on_demand.copies == Names{"to_far a", "to_near a"});
  // Forward 0-200. d.bw finds a b c d near and lacks room for the gradient of c: a, unused for longest, goes
  // out 200-300; d.bw -400, c.bw -500, b.bw -600; a comes in -700, a.bw -800.
  CHECK(on_demand.time() == 800 * kMillisecond);
  CHECK(on_demand.stall(StallCause::kFault) == 200 * kMillisecond);
  const PagingRan ahead = paging_run(workload, "unified-prefetch", 4 * kGigabyte);
  CHECK(ahead.copies == Names{"to_far a", "to_near a"});
  CHECK(ahead.time() == 700 * kMillisecond);  // a in 500-600, beside b.bw; a.bw 600-700
  CHECK(ahead.stall(StallCause::kFault) == 100 * kMillisecond);
}

TEST_CASE("with room made ahead the copy out hides, too") {
  const Workload workload = paging_example();
  // a out 150-250, beside d.fw; d.bw 250-350, c.bw -450; a in -550 beside b.bw; a.bw -650.
  const PagingRan both = paging_run(workload, "unified-prefetch+", 4 * kGigabyte);
  CHECK(both.copies == Names{"to_far a", "to_near a"});
  CHECK(both.time() == 650 * kMillisecond);
}

TEST_CASE("at 3 GB two tensors leave, and there is no room to fetch ahead") {
  const Workload workload = paging_example();
  for (const char* schedule : {"unified", "unified-prefetch"}) {
    CAPTURE(schedule);
    const PagingRan ran = paging_run(workload, schedule, 3 * kGigabyte);
    CHECK(ran.copies == Names{"to_far a", "to_far b", "to_near b", "to_near a"});
    // a b c -150; a out -250, d.fw -300; b out -400, d.bw -500, c.bw -600 (c and two gradients: 3 GB);
    // b in -700, b.bw -800 (b and two gradients); a in -900, a.bw -1000: 600 + 4 x 100.
    CHECK(ran.time() == 1000 * kMillisecond);
    CHECK(ran.stall(StallCause::kFault) == 400 * kMillisecond);
    CHECK(ran.timeline.busy == 600 * kMillisecond);
  }
}

TEST_CASE("a task that touches more than there is does not run") {
  const Workload workload = paging_example();
  // c.backward: c, its gradient and that of b.
  const PlanResult made = find_schedule("unified")->make_plan(
      {.graph = workload.graph, .costs = workload.costs, .budget = 3 * kGigabyte - Bytes(1)});
  REQUIRE(std::holds_alternative<OutOfMemory>(made));
  const auto& oom = std::get<OutOfMemory>(made);
  CHECK(oom.step == "c.backward");
  CHECK(oom.smallest_budget == 3 * kGigabyte);
}

TEST_CASE("a page that comes back unchanged is dropped the next time, without a copy") {
  // A skip: d reads y and a. Words: a b c x y 4 each, d 2, e and f 6; e.backward touches 14. In 14 words:
  // x.fw finds a b c near and evicts a, y.fw evicts b, d.fw needs a again and evicts c, e.fw evicts x and y;
  // f.fw finds a d e near, 12 words, and a has not been used for longest, but its far copy is current.
  const auto layer = [](const std::string& name, int words, const std::string& more = "") {
    return R"({"name": ")" + name + R"(", "type": "custom", "output_shape": [)" +
           std::to_string(words) + R"(], "forward_time": "10 ns", "backward_time": "20 ns")" +
           more + "}";
  };
  std::string layers = layer("a", 4);
  for (const char* name : {"b", "c", "x", "y"}) layers += "," + layer(name, 4);
  layers +=
      "," + layer("d", 2, R"(, "inputs": ["y", "a"])") + "," + layer("e", 6) + "," + layer("f", 6);
  Workload workload = workload_of_text(tiny::network(layers, "[1]"), 1);
  const BytesPerSecond rate(400'000'000);  // a word takes 10 ns
  set_link(workload.costs, {.to_far = rate, .to_near = rate});
  const PagingRan ran = paging_run(workload, "unified", Bytes(14 * 4));
  CHECK(std::count(ran.copies.begin(), ran.copies.end(), "to_far a") == 1);
  CHECK(std::count(ran.copies.begin(), ran.copies.end(), "to_near a") == 2);  // d.fw, a.backward
  CHECK(Names(ran.copies.begin(), ran.copies.begin() + 6) ==
        Names{"to_far a", "to_far b", "to_far c", "to_near a", "to_far x", "to_far y"});
}

std::string custom(const std::string& name, const std::string& more = "") {
  return R"({"name": ")" + name +
         R"(", "type": "custom", "output_shape": [4], "forward_time": "10 ns", "backward_time": "20 ns")" +
         more + "}";
}

TEST_CASE("what has been near for longest leaves, however lately it was used") {
  // x reads c and a, so that b has not been used for longest when y finds a b c x near in 16 words; a came first.
  Workload workload = workload_of_text(
      tiny::network(custom("a") + "," + custom("b") + "," + custom("c") + "," +
                        custom("x", R"(, "inputs": ["c", "a"])") + "," + custom("y"),
                    "[1]"),
      1);
  const BytesPerSecond rate(400'000'000);
  set_link(workload.costs, {.to_far = rate, .to_near = rate});
  // Then y.bw makes room for the gradient of x, and x.bw for those of c and a beside x and its own gradient.
  for (const std::string schedule : {"unified", "unified-prefetch"}) {
    CAPTURE(schedule);
    const PagingRan ran = paging_run(workload, schedule.c_str(), Bytes(16 * 4));
    REQUIRE(ran.copies.size() > 3);
    CHECK(Names(ran.copies.begin(), ran.copies.begin() + 3) ==
          Names{"to_far a", "to_far b", "to_far c"});
  }
}

TEST_CASE("a tensor is cut into as few equal parts as make none too large, and no byte is lost") {
  Workload workload = paging_example();
  const Parts parts = cut_tensors(workload.costs.tensor_bytes, Bytes(300'000'000));
  const TrainingGraph graph = cut_graph(workload.graph, parts);
  const CostTable costs = cut_costs(workload.costs, parts);
  REQUIRE(graph.tensors.size() == costs.tensor_bytes.size());
  Bytes sum;
  Bytes whole;
  for (const Bytes bytes : costs.tensor_bytes) {
    CHECK(bytes <= Bytes(300'000'000));
    sum += bytes;
  }
  for (const Bytes bytes : workload.costs.tensor_bytes) whole += bytes;
  CHECK(sum == whole);
  // 1 GB / 300 MB: four parts of 250 MB.
  CHECK(graph.tensors.size() == 4 * workload.graph.tensors.size());
  CHECK(tensor_name(graph, TensorId{parts.first[1]}) == "a[1]");
  CHECK(graph.reads[TaskId{1}].size() == 4);
  CHECK(tensor_name(cut_graph(workload.graph, cut_tensors(workload.costs.tensor_bytes, kGigabyte)),
                    TensorId{1}) == "a");
}

TEST_CASE("with parts only as much leaves as must") {
  // At 4.75 GB d.backward lacks 250 MB of its 5 GB: one of four parts of a goes out and comes back.
  Workload workload = paging_example();
  const Parts parts = cut_tensors(workload.costs.tensor_bytes, Bytes(250'000'000));
  Workload cut{.text = "",
               .network = std::move(workload.network),
               .graph = cut_graph(workload.graph, parts),
               .costs = cut_costs(workload.costs, parts)};
  const BytesPerSecond rate(10'000'000'000);
  set_link(cut.costs, {.to_far = rate, .to_near = rate});
  const PagingRan ran = paging_run(cut, "unified", Bytes(4'750'000'000));
  CHECK(ran.copies == Names{"to_far a[1]", "to_near a[1]"});
  CHECK(ran.time() == 650 * kMillisecond);  // 600 + 2 x 25
}

TEST_CASE(
    "a task that touches more than there is runs in slices, each with its share of the parts") {
  // c.backward touches 3 GB in parts of 250 MB: in two slices 1.5 GB, in four 750 MB. Of 2 GB it gets the
  // fewest slices that take a quarter, and as none does, those that take least: one part of each tensor.
  const Workload workload = paging_example();
  Parts parts = cut_tensors(workload.costs.tensor_bytes, Bytes(250'000'000));
  std::vector<AlternativeId> ways;
  for (const std::int32_t way : workload.costs.first_alternative) ways.push_back({way});
  const SliceNeed least = least_need(workload.graph, workload.costs, parts, TaskId{5}, ways[5]);
  CHECK(task_name(workload.graph, TaskId{5}) == "c.backward");
  CHECK(least.slices == 4);
  CHECK(least.bytes == Bytes(750'000'000));
  slice_tasks(parts, workload.graph, workload.costs, ways, 2 * kGigabyte);
  // d.backward touches 2 GB and stays whole, as do the forward tasks.
  CHECK(parts.slices == std::vector<std::int32_t>{1, 1, 1, 1, 1, 4, 4, 1});
  const TrainingGraph graph = cut_graph(workload.graph, parts);
  const CostTable costs = cut_costs(workload.costs, parts);
  CHECK(graph.tasks.size() == 14);
  CHECK(graph.forward_tasks == 4);
  CHECK(graph.backward_end == 14);
  CHECK(graph.reads[TaskId{6}].size() == 2);  // second slice: a part of c and one of its gradient
  CHECK(graph.writes[TaskId{6}].size() == 1);
  CHECK(costs[costs.default_alternative(TaskId{6})].time == 25 * kMillisecond);
  CHECK(compute_time(costs, graph) == 600 * kMillisecond);
}

TEST_CASE("a workspace that slices do not divide does not make them as thin as can be") {
  // c.backward: 3 GB in parts of 10 MB, and 1 GB of workspace. Of 2.2 GB no slice takes a quarter; one of
  // 16 takes 1 GB + 3 x 70 MB, less than 1 GB + 30 MB and a quarter of the rest.
  Workload workload = paging_example();
  Parts parts = cut_tensors(workload.costs.tensor_bytes, Bytes(10'000'000));
  const TaskId task{5};
  std::vector<AlternativeId> ways;
  for (const std::int32_t way : workload.costs.first_alternative) ways.push_back({way});
  workload.costs.alternatives[workload.costs.default_alternative(task).at()].workspace = kGigabyte;
  slice_tasks(parts, workload.graph, workload.costs, ways, Bytes(2'200'000'000));
  CHECK(parts.slices_of(task) == 16);
}

TEST_CASE("each tensor may have a limit of its own on its parts") {
  const Parts parts =
      cut_tensors({Bytes(10), Bytes(10), Bytes(0)}, {Bytes(10), Bytes(3), Bytes(1)});
  CHECK(parts.first == std::vector<std::int32_t>{0, 1, 5, 6});
}

std::string paging_machine(const std::string& modes) {
  std::string text = tiny::machine();
  text.insert(text.find("\"pinned\""), modes);
  return text;
}

const std::string kFaultMode = R"("unified_fault": {
  "to_near": {"throughput": "10 GB/s", "latency": "3 us"},
  "to_far": {"throughput": "5 GB/s", "latency": "3 us"}, "page": "64 KiB", "fault": "25 us"},)";
const std::string kPrefetchMode = R"("unified_prefetch": {
  "to_near": {"throughput": "8 GB/s", "latency": "40 us"},
  "to_far": {"throughput": "8 GB/s", "latency": "40 us"}},)";

TEST_CASE("a fault costs its groups beside the bytes; a prefetch does not") {
  const std::vector<Bytes> sizes{Bytes(1'000'000)};
  const HardwareProfile machine =
      read_profile_text(paging_machine(kFaultMode + kPrefetchMode), "machine");
  const TransferCosts demand = estimate_unified(sizes, machine, {}, PageCopies::kOnDemand);
  // 1 MB is 16 groups of 64 KiB: 16 x 25 us; 2 + 3 + 1 us; 1 MB at 10 GB/s: 100 us.
  CHECK(demand.to_near[0].alone == Duration(506'000));
  CHECK(demand.to_far[0].alone == Duration(206'000));
  CHECK(demand.faults.empty());
  const TransferCosts ahead = estimate_unified(sizes, machine, {}, PageCopies::kPrefetched);
  // 2 + 40 + 1 us; 1 MB at 8 GB/s: 125 us.
  CHECK(ahead.to_near[0].alone == Duration(168'000));
  CHECK(ahead.near_cost(0, true).alone == Duration(506'000));
  CHECK(ahead.near_cost(0, false).alone == Duration(168'000));
  CHECK(ahead.to_far[0].alone == Duration(206'000));
}

TEST_CASE(
    "faults grow with what is near: a page, then the rest of the subtree it makes more than half "
    "full") {
  // 64 KiB pages in 2 MiB: page 0; page 1 (1 of 2 is 50 %, not above 51); page 2 makes 3 of 4, and brings 3; page 4
  // makes 5 of 8, and brings 5 to 7; 8 makes 9 of 16; 16 makes 17 of 32, 53 %.
  constexpr std::int64_t kKi = 1024;
  CHECK(fault_group_starts(Bytes(64 * kKi), Bytes(2048 * kKi)) ==
        std::vector<Bytes>{Bytes(0), Bytes(64 * kKi), Bytes(128 * kKi), Bytes(256 * kKi),
                           Bytes(512 * kKi), Bytes(1024 * kKi)});
  // 65 of 128 are 50.8 %, so that page 64 comes alone; 66 of 128 are 51.6 %.
  CHECK(fault_group_starts(Bytes(1), Bytes(128)) ==
        std::vector<Bytes>{Bytes(0), Bytes(1), Bytes(2), Bytes(4), Bytes(8), Bytes(16), Bytes(32),
                           Bytes(64), Bytes(65)});
  CHECK(fault_group_starts(Bytes(64 * kKi), Bytes(64 * kKi)) == std::vector<Bytes>{Bytes(0)});
}

TEST_CASE("groups are as profilers count them, and priced by the profile") {
  std::string growing = kFaultMode;
  growing.insert(growing.find(R"("25 us")") + 7, R"(, "grows_to": "2 MiB")");
  const HardwareProfile machine = read_profile_text(paging_machine(growing), "machine");
  const auto groups = [&](std::int64_t bytes) {
    const HardwareProfile free = read_profile_text(paging_machine([&] {
                                                     std::string text = growing;
                                                     text.replace(text.find("25 us"), 5, "0 us");
                                                     return text;
                                                   }()),
                                                   "machine");
    const std::vector<Bytes> sizes{Bytes(bytes)};
    const Duration more =
        estimate_unified(sizes, machine, {}, PageCopies::kOnDemand).to_near[0].alone -
        estimate_unified(sizes, free, {}, PageCopies::kOnDemand).to_near[0].alone;
    CHECK(more.count() % 25'000 == 0);
    return more.count() / 25'000;
  };
  // nvprof, GTX 1070 and RTX 2060: 4 MiB for 12 faults, in 24 copies, each group's first 4 KiB and the rest of it:
  // 170.67 KiB in the mean, 1020 KiB the largest. V100: 48 such copies for 8 MiB (in 12 batches: of two arrays).
  CHECK(groups(std::int64_t{4} << 20) == 12);
  CHECK(groups(std::int64_t{8} << 20) == 24);
  CHECK(groups(0) == 0);
  CHECK(groups(1) == 1);
  CHECK(groups(65'536) == 1);
  CHECK(groups(65'537) == 2);
  CHECK(groups(1'000'000) == 5);  // those at 0, 64, 128, 256 and 512 KiB
  CHECK(groups((2 << 20) + 1) == 7);
}

TEST_CASE("a profile without the mode is told which one to add") {
  const std::vector<Bytes> sizes{Bytes(1'000'000)};
  const auto place = [&](const std::string& modes, PageCopies copies) {
    const HardwareProfile profile = read_profile_text(paging_machine(modes), "machine");
    return error_parts([&] { return estimate_unified(sizes, profile, {}, copies); }).place;
  };
  CHECK(place("", PageCopies::kOnDemand) == "/connection/modes/unified_fault");
  CHECK(place(kFaultMode, PageCopies::kOnDemand) == "");
  CHECK(place(kFaultMode, PageCopies::kPrefetched) == "/connection/modes/unified_prefetch");
}

}  // namespace
}  // namespace ooc::test
