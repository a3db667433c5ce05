// Is moDNN's schedule right where the numbers can be redone by hand? Figures 3, 4 and 5 of the paper as
// examples: an offload that begins when its block's writer has ended, the choice between two offloading schemes
// for an allocation of size 4, the start of a prefetch; the gain of a faster algorithm; the budget below
// which nothing helps. Copies take 10 ns a byte; there are no weights.
#include "simulator/plan/plan_text.hpp"
#include "simulator/schedules/schedule.hpp"
#include "tests/support/hand_graph.hpp"
#include "tests/support/plan_laws.hpp"
#include "tests/support/random_networks.hpp"
#include "tests/support/schedule_example.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

constexpr LinkSpec kTenNsPerByte{.to_far = BytesPerSecond(100'000'000),
                                 .to_near = BytesPerSecond(100'000'000)};

/// A graph by hand with the ways to run its tasks.
struct ModnnExample {
  HandGraph hand;
  std::vector<std::vector<TaskAlternative>> ways;  ///< by task

  TaskId forward(const std::string& name, std::int64_t ns) {
    ways.push_back({{.time = Duration(ns), .workspace = {}}});
    return hand.forward(name);
  }
  TaskId backward(const std::string& name, std::int64_t ns) {
    ways.push_back({{.time = Duration(ns), .workspace = {}}});
    return hand.backward(name);
  }
  void faster(TaskId task, std::int64_t ns, std::int64_t workspace) {
    ways[task.at()].push_back(
        {.algorithm = Algorithm::kWinograd, .time = Duration(ns), .workspace = Bytes(workspace)});
  }
  /// Written by one task, read by others.
  TensorId tensor(const std::string& name, std::int64_t bytes, TaskId writer,
                  const std::vector<TaskId>& readers) {
    const TensorId tensor = hand.tensor(name, bytes);
    hand.writes(writer, tensor);
    for (const TaskId reader : readers) hand.reads(reader, tensor);
    return tensor;
  }
};

using Spans = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;

/// Of every step of the plan, by name: when it starts and ends. Also checks that it is sound.
struct Run {
  Spans spans;
  std::vector<Algorithm> algorithms;  ///< by task
  std::int64_t time = 0;
  std::int64_t peak = 0;
};

CostTable costs_of(const ModnnExample& example, const TrainingGraph& graph) {
  CostTable costs;
  for (const auto& ways : example.ways) {
    costs.first_alternative.push_back(static_cast<std::int32_t>(costs.alternatives.size()));
    costs.alternatives.insert(costs.alternatives.end(), ways.begin(), ways.end());
  }
  costs.first_alternative.push_back(static_cast<std::int32_t>(costs.alternatives.size()));
  for (const Tensor& tensor : graph.tensors)
    costs.tensor_bytes.emplace_back(tensor.bytes_per_sample);
  set_link(costs, kTenNsPerByte);
  return costs;
}

Run modnn_run(const ModnnExample& example, std::int64_t budget) {
  const TrainingGraph graph = example.hand.build();
  const CostTable costs = costs_of(example, graph);
  const PlanResult result =
      find_schedule("modnn")->make_plan({.graph = graph, .costs = costs, .budget = Bytes(budget)});
  REQUIRE(std::holds_alternative<Plan>(result));
  const Plan& plan = std::get<Plan>(result);
  const Timeline timeline = require_run(plan, graph, costs, Bytes(budget));
  Run modnn_run;
  modnn_run.time = timeline.iteration_time.count();
  modnn_run.peak = timeline.peak_near.count();
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const std::string name = step_name(plan, graph, make_id<StepId>(i));
    REQUIRE_MESSAGE(!modnn_run.spans.contains(name), name << " twice");
    modnn_run.spans[name] = {timeline.spans[i].start.count(), timeline.spans[i].end.count()};
    if (plan.steps[i].kind == StepKind::kCompute) {
      modnn_run.algorithms.push_back(costs[plan.steps[i].alternative].algorithm);
    }
  }
  return modnn_run;
}

using Span = std::pair<std::int64_t, std::int64_t>;

/// Four layers whose outputs backward reads: A (2 bytes or more), B (1), C (2), D (2).
ModnnExample four_layers(std::int64_t bytes_of_a = 2) {
  ModnnExample it;
  const TaskId a = it.forward("a", 40), b = it.forward("b", 60), c = it.forward("c", 50),
               d = it.forward("d", 50);
  const TaskId bd = it.backward("d", 50), bc = it.backward("c", 50), bb = it.backward("b", 50),
               ba = it.backward("a", 50);
  it.tensor("A", bytes_of_a, a, {b, ba});
  it.tensor("B", 1, b, {c, bb});
  it.tensor("C", 2, c, {d, bc});
  it.tensor("D", 2, d, {bd});
  return it;
}

TEST_CASE("Fig. 3a: a copy out that takes longer than what is run beside it delays the next task") {
  // Budget 10: A (8) and B are near after b (at 100), a hole of 1 is left. C (2) takes A's place, whose copy begins at
  // a's end, 40, and ends at 120.
  const Run it = modnn_run(four_layers(8), 10);
  CHECK(it.spans.at("b.forward") == Span{40, 100});
  CHECK(it.spans.at("to_far A") == Span{40, 120});
  CHECK(it.spans.at("c.forward") == Span{120, 170});
  CHECK(it.spans.at("d.forward") == Span{170, 220});
}

TEST_CASE(
    "Fig. 3b: a copy out begins with its block's writer, hides behind its reader and delays "
    "nothing") {
  // Budget 4: as above, but A (2) is out at 60, and b is its last user. d (2) at 150: B, out from 100 to 110, and the
  // hole behind it make room, as soon as c has ended.
  const Run it = modnn_run(four_layers(), 4);
  CHECK(it.spans.at("to_far A") == Span{40, 60});
  CHECK(it.spans.at("c.forward") == Span{100, 150});
  CHECK(it.spans.at("to_far B") == Span{100, 110});
  CHECK(it.spans.at("d.forward") == Span{150, 200});
  CHECK(it.time == 400);  // no copy is seen
  CHECK(it.peak == 4);
}

TEST_CASE("a copy out that hides behind its reader costs modnn no more than capacity") {
  // 1 GB each, 3.1 GB, 10 GB/s: a's output finds no room at d's start, 310 ms, and its copy was under way from 100 to
  // 200 beside b. When it waited for b's end, 300, the iteration took 1,100 ms.
  std::string layers;
  for (const auto& [name, forward] :
       {std::pair("a", "100"), {"b", "200"}, {"c", "10"}, {"d", "100"}}) {
    layers += (layers.empty() ? "" : ",") + std::string(R"({"name": ")") + name +
              R"(", "type": "custom", "output_shape": [250000000], "forward_time": ")" + forward +
              R"( ms", "backward_time": "100 ms"})";
  }
  for (const char* schedule : {"modnn", "capacity"}) {
    ScheduleExample example{workload_of_text(tiny::network(layers, "[1]"), 1),
                            find_schedule(schedule)};
    example.set_rate(kTenPerSecond);
    CHECK(example.time(Bytes(3'100'000'000)) == 1'010 * kMillisecond);
  }
}

/// Blocks of 2, 2, 1, 1 and 3 bytes in the order of their addresses, (6) is a hole of 1; x reads (4) and
/// writes 4 bytes. Only backward reads the others: such a block counts as used when it is made.
ModnnExample six_segments() {
  ModnnExample it;
  std::vector<TaskId> makers;
  for (int i = 1; i <= 5; ++i) makers.push_back(it.forward("m" + std::to_string(i), 5));
  const TaskId x = it.forward("x", 100);
  const TaskId last = it.backward("x", 100);
  constexpr std::int64_t kSizes[] = {2, 2, 1, 1, 3};
  std::vector<TaskId> users;
  for (int i = 5; i >= 1; --i) users.push_back(it.backward("m" + std::to_string(i), 100));
  for (std::size_t i = 0; i < 5; ++i) {
    std::vector<TaskId> readers{users[4 - i]};
    if (i == 3) readers.push_back(x);
    it.tensor(std::to_string(i + 1), kSizes[i], makers[i], readers);
  }
  it.tensor("y", 4, x, {last});
  return it;
}

TEST_CASE("Fig. 4: of the two schemes for an allocation of size 4 the one of less delay is taken") {
  // At 25 ns. (1)(2): copies of 20 ns each, from 5 (m1's end) and 25: free at 45. (2)(3) are 3 bytes, and
  // (4) may not leave. (5)(6): m5 ended at 25: free at 55.
  const Run it = modnn_run(six_segments(), 10);
  CHECK(it.spans.at("to_far 1") == Span{5, 25});
  CHECK(it.spans.at("to_far 2") == Span{25, 45});
  CHECK_FALSE(it.spans.contains("to_far 5"));
  CHECK(it.spans.at("x.forward") == Span{45, 145});
}

TEST_CASE("Fig. 5: a prefetch starts with the last task after which it would come too late") {
  // A is needed by a.backward, expected at 350; its copy takes 20. Decided at the start of c.backward
  // (250): after it, at 300, is early enough (320). At the start of b.backward (300): after it, at 350,
  // would delay a.backward to 370, so it starts now.
  const Run it = modnn_run(four_layers(), 6);
  CHECK(it.spans.at("b.backward") == Span{300, 350});
  CHECK(it.spans.at("to_near A") == Span{300, 320});
  CHECK(it.spans.at("a.backward") == Span{350, 400});
}

/// A (8 bytes) and B (2) have to come back one after the other, for the last two tasks.
ModnnExample two_that_return() {
  ModnnExample it;
  const TaskId a = it.forward("a", 40), b = it.forward("b", 60), c = it.forward("c", 50);
  it.forward("e", 10);
  const TaskId d = it.forward("d", 50), bd = it.backward("d", 10);
  it.backward("e", 50);
  const TaskId bc = it.backward("c", 30), bb = it.backward("b", 10), ba = it.backward("a", 50);
  it.tensor("A", 8, a, {b, ba});
  it.tensor("B", 2, b, {c, bb});
  it.tensor("C", 2, c, {d, bc});
  it.tensor("D", 10, d, {bd});
  return it;
}

TEST_CASE("Eq. 4 is asked of each task alone: what stands behind another copy comes too late") {
  // 14 bytes: A (8) and B (2) leave for D (10) beside b and c, and nothing waits. Begun after e.backward, at 270, B is
  // near at 290, before b.backward at 300; so it starts with c.backward. A is asked about only then, and a.backward,
  // which could begin at 310, waits for it.
  const Run it_ran = modnn_run(two_that_return(), 14);
  CHECK(it_ran.spans.at("to_far A") == Span{40, 120});
  CHECK(it_ran.spans.at("to_far B") == Span{120, 140});
  CHECK(it_ran.spans.at("d.forward") == Span{160, 210});
  CHECK(it_ran.spans.at("to_near B") == Span{270, 290});
  CHECK(it_ran.spans.at("to_near A") == Span{290, 370});
  CHECK(it_ran.spans.at("a.backward") == Span{370, 420});
}

/// A (4 bytes), B (2), C (2) and D (4); c forward and c backward have a faster way.
ModnnExample choice(std::int64_t forward_ns, std::int64_t backward_workspace) {
  ModnnExample it;
  const TaskId a = it.forward("a", 10), b = it.forward("b", 20), c = it.forward("c", 100),
               d = it.forward("d", 50);
  const TaskId bd = it.backward("d", 50), bc = it.backward("c", 30), ba = it.backward("a", 50);
  it.faster(c, forward_ns, 4);
  it.faster(bc, 10, backward_workspace);
  it.tensor("A", 4, a, {b, ba});
  it.tensor("B", 2, b, {c, ba});
  it.tensor("C", 2, c, {d, bc});
  it.tensor("D", 4, d, {bd});
  return it;
}

TEST_CASE("Eq. 5: a faster algorithm is taken where it saves more than its room costs") {
  // 10 bytes: at c, at 30, a hole of 2 is left beside A, B and C. For a workspace of 4 A has to leave, from
  // 10 to 50: T_off = 20. 100 - 50 - 20 = 30 > 0.
  const Run taken = modnn_run(choice(50, 4), 10);
  CHECK(taken.algorithms[2] == Algorithm::kWinograd);
  CHECK(taken.spans.at("to_far A") == Span{10, 50});
  CHECK(taken.spans.at("c.forward") == Span{50, 100});
  // 100 - 85 - 20 < 0.
  const Run refused = modnn_run(choice(85, 4), 10);
  CHECK(refused.algorithms[2] == Algorithm::kDefault);
  CHECK(refused.spans.at("c.forward") == Span{30, 130});
}

TEST_CASE("Eq. 5: a workspace must not keep out what the next task waits for") {
  // At c.backward, at 230, 6 bytes are free (D's 4 and a hole of 2) and a.backward needs A, 40 ns away. A
  // workspace of 4 would keep A out: 30 - 10 - 40 < 0. One of 2 leaves room for it.
  const Run kept_out = modnn_run(choice(85, 4), 10);
  CHECK(kept_out.algorithms[5] == Algorithm::kDefault);
  CHECK(kept_out.spans.at("c.backward") == Span{230, 260});
  CHECK(kept_out.spans.at("to_near A") == Span{230, 270});
  const Run beside = modnn_run(choice(85, 2), 10);
  CHECK(beside.algorithms[5] == Algorithm::kWinograd);
  CHECK(beside.spans.at("c.backward") == Span{230, 240});
  CHECK(beside.spans.at("to_near A") == Span{230, 270});
}

TEST_CASE("holes that no scheme can join are joined by sending everything away") {
  // 7 bytes: T, P, Q, R take 1, 2, 2, 2. h, from 40 to 50, is the last to use P and R: holes of 2 on either
  // side of Q, which k will use but nobody has yet. S (4) finds T and the hole behind it (3) and then Q
  // in its way. So T and Q leave, T's copy from 10, Q's from 30 to 50, and Q comes back for k.
  ModnnExample it;
  const TaskId t = it.forward("t", 10), p = it.forward("p", 10), q = it.forward("q", 10),
               r = it.forward("r", 10), h = it.forward("h", 10), j = it.forward("j", 10),
               k = it.forward("k", 10), m = it.forward("m", 10);
  const TaskId bm = it.backward("m", 10), bt = it.backward("t", 10);
  it.tensor("T", 1, t, {bt});
  it.tensor("P", 2, p, {h});
  it.tensor("Q", 2, q, {k});
  it.tensor("R", 2, r, {h});
  it.tensor("S", 4, j, {k});
  it.tensor("U", 7, m, {bm});
  const Run run_of = modnn_run(it, 7);
  CHECK(run_of.spans.at("to_far T") == Span{10, 20});
  CHECK(run_of.spans.at("to_far Q") == Span{30, 50});
  CHECK(run_of.spans.at("j.forward") == Span{50, 60});
  CHECK(run_of.spans.at("to_near Q") == Span{50, 70});
  CHECK(run_of.spans.at("k.forward") == Span{70, 80});
  CHECK(run_of.peak == 7);
}

/// P (3), Q (3), R (3), U (1) in 10 bytes: when P and R have died, at 50, holes of 3 lie on either side of Q. j has a
/// faster way, which wants 5 in a row.
ModnnExample workspace_beside_an_input(std::int64_t fast_ns) {
  ModnnExample it;
  const TaskId p = it.forward("p", 10), q = it.forward("q", 10), r = it.forward("r", 10),
               u = it.forward("u", 10), h = it.forward("h", 10), j = it.forward("j", 150);
  const TaskId bj = it.backward("j", 10), bu = it.backward("u", 10);
  it.faster(j, fast_ns, 5);
  it.tensor("P", 3, p, {h});
  it.tensor("Q", 3, q, {j});
  it.tensor("R", 3, r, {h});
  it.tensor("U", 1, u, {bu});
  it.tensor("S", 1, j, {bj});
  return it;
}

TEST_CASE("everything leaves for a workspace, too, where that is worth its time") {
  // Q leaves from 20 to 50, U to 60, and Q is back at 90: T_off is 40.
  const Run taken = modnn_run(workspace_beside_an_input(100), 10);
  CHECK(taken.algorithms[5] == Algorithm::kWinograd);
  CHECK(taken.spans.at("to_near Q") == Span{60, 90});
  CHECK(taken.spans.at("j.forward") == Span{90, 190});
  const Run refused = modnn_run(workspace_beside_an_input(115), 10);
  CHECK(refused.algorithms[5] == Algorithm::kDefault);
  CHECK(refused.spans.at("j.forward") == Span{50, 200});
}

TEST_CASE("before the first task has run nothing leaves for a workspace") {
  // X (2) and Y (3) are network inputs, near from the start beside O (1): of 10 a hole of 4 is left, and the fast
  // way of x wants 5. Y would have room to leave, but no task has ended that it could leave with.
  ModnnExample it;
  const TaskId x = it.forward("x", 100), y = it.forward("y", 10);
  const TaskId by = it.backward("y", 10);
  it.faster(x, 10, 5);
  it.hand.reads(x, it.hand.input("X", 2));
  it.hand.reads(y, it.hand.input("Y", 3));
  it.tensor("O", 1, x, {y, by});
  const Run it_ran = modnn_run(it, 10);
  CHECK(it_ran.algorithms[0] == Algorithm::kDefault);
  CHECK(it_ran.time == 120);
}

TEST_CASE("below the largest task nothing helps: both numbers are named") {
  const ModnnExample example = four_layers();
  const TrainingGraph graph = example.hand.build();
  CostTable costs = costs_of(example, graph);
  costs.static_bytes = Bytes(100);
  // c.forward reads B (1) and writes C (2): 3; d.forward reads C and writes D: 4; with the weights 104.
  const PlanResult result =
      find_schedule("modnn")->make_plan({.graph = graph, .costs = costs, .budget = Bytes(103)});
  REQUIRE(std::holds_alternative<OutOfMemory>(result));
  const OutOfMemory& oom = std::get<OutOfMemory>(result);
  CHECK(oom.step == "d.forward");
  CHECK(oom.wanted == Bytes(4));
  CHECK(oom.free == Bytes(3));
  CHECK(oom.smallest_budget == Bytes(104));
}

}  // namespace
}  // namespace ooc::test
