// Can any plan make the engine differ from the naive simulator, which was written from the text of
// the semantics alone? Random small plans through the text form; spans, peak and blocked steps must
// agree to the nanosecond. And every nanosecond of a compute queue must have exactly one cause.
#include "simulator/engine/simulate.hpp"
#include "simulator/plan/plan_text.hpp"
#include "tests/support/naive_simulator.hpp"
#include "tests/support/property_cases.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/test.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

constexpr std::uint64_t kEngineSeeds = 20'000;
constexpr const char* kProgram = "property_engine";

void check_same(const RandomPlan& random, const Outcome& outcome, const NaiveResult& naive) {
  if (const auto* blocked = std::get_if<Blocked>(&outcome)) {
    REQUIRE_FALSE(naive.finished);
    REQUIRE(naive.blocked_step.has_value());
    REQUIRE(blocked->step.at() == *naive.blocked_step);
    return;
  }
  const auto& timeline = std::get<Timeline>(outcome);
  REQUIRE(naive.finished);
  for (std::size_t step = 0; step < random.plan.steps.size(); ++step) {
    CAPTURE(step);
    REQUIRE(timeline.spans[step].start.count() == naive.spans[step].start);
    REQUIRE(timeline.spans[step].end.count() == naive.spans[step].end);
  }
  REQUIRE(timeline.iteration_time.count() == naive.iteration_time);
  REQUIRE(timeline.peak_near.count() == naive.peak);
}

struct Piece {
  std::int64_t start = 0, end = 0;
};

/// First-run tasks and stalls lie end to end from 0 to the end of the iteration.
void check_tiling(const Plan& plan, const Timeline& timeline) {
  std::vector<Piece> pieces;
  std::int64_t busy = 0;
  for (const StepId id : plan.queue(StepKind::kCompute)) {
    const Span span = timeline.spans[id.at()];
    if (plan.steps[id.at()].recompute || span.start == span.end) continue;
    pieces.push_back({span.start.count(), span.end.count()});
    busy += (span.end - span.start).count();
  }
  for (const Stall& stall : timeline.stalls) {
    pieces.push_back({stall.start.count(), stall.end.count()});
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.start < b.start; });
  std::int64_t at = 0;
  for (const Piece& piece : pieces) {
    REQUIRE(piece.start == at);
    REQUIRE(piece.end > piece.start);
    at = piece.end;
  }
  REQUIRE(at == timeline.iteration_time.count());
  REQUIRE(timeline.busy.count() == busy);
  Duration total = timeline.busy;
  for (const Duration stall : timeline.stall_totals) total += stall;
  REQUIRE(total == timeline.iteration_time);
}

StallCause cause_of(const Step& step) {
  if (step.kind == StepKind::kToNear) return StallCause::kSwapIn;
  if (step.kind == StepKind::kFarCompute) return StallCause::kUpdate;
  return step.kind == StepKind::kToFar ? StallCause::kSwapOut : StallCause::kDependency;
}

/// When the host has issued `step` and all compute steps before it.
std::int64_t issued(const RandomPlan& random, StepId step) {
  const Plan& plan = random.plan;
  std::int64_t at = 0;
  for (const StepId each : plan.queue(StepKind::kCompute)) {
    at += random.costs[plan.steps[each.at()].alternative].issue.count();
    if (each == step) break;
  }
  return at;
}

/// The cause of each gap up to the ready time, from the plan's waits and the host's times alone.
void check_wait_causes(const RandomPlan& random, const Timeline& timeline) {
  const Plan& plan = random.plan;
  for (const Stall& stall : timeline.stalls) {
    if (stall.cause == StallCause::kRecompute || !stall.before) continue;
    const auto waits = plan.waits[*stall.before];
    std::int64_t waited = 0;
    for (const StepId wait : waits) {
      waited = std::max(waited, timeline.spans[wait.at()].end.count());
    }
    const std::int64_t from_host = issued(random, *stall.before);
    if (stall.cause == StallCause::kLaunch) {
      REQUIRE(stall.start.count() >= waited);
      REQUIRE(stall.end.count() == from_host);
      continue;
    }
    REQUIRE(stall.culprit.has_value());
    REQUIRE(timeline.spans[stall.culprit->at()].end == stall.end);
    if (stall.start.count() >= std::max(waited, from_host)) {  // then it waited for memory
      const bool copy_out = plan.steps[stall.culprit->at()].kind == StepKind::kToFar;
      REQUIRE(stall.cause == (copy_out ? StallCause::kSwapOut : StallCause::kMemory));
      continue;
    }
    REQUIRE(stall.end.count() == waited);
    bool near = false, far = false, compute = false;
    for (const StepId wait : waits) {
      if (timeline.spans[wait.at()].end.count() != waited) continue;
      near |= cause_of(plan.steps[wait.at()]) == StallCause::kSwapIn;
      far |= cause_of(plan.steps[wait.at()]) == StallCause::kSwapOut;
      compute |= cause_of(plan.steps[wait.at()]) == StallCause::kDependency;
    }
    REQUIRE(stall.cause == (near      ? StallCause::kSwapIn
                            : far     ? StallCause::kSwapOut
                            : compute ? StallCause::kDependency
                                      : StallCause::kUpdate));
  }
}

/// Each step starts and ends once, in the order of time, and starts behind the ends that it waits for.
void check_events(const Plan& plan, const Timeline& timeline) {
  REQUIRE(timeline.events.size() == 2 * plan.steps.size());
  std::vector<int> seen(plan.steps.size());
  Duration now;
  for (const auto& [step, ends] : timeline.events) {
    const Span& span = timeline.spans[step.at()];
    REQUIRE((ends ? span.end : span.start) >= now);
    now = ends ? span.end : span.start;
    REQUIRE(seen[step.at()]++ == (ends ? 1 : 0));
    for (const StepId wait : plan.waits[step]) REQUIRE(seen[wait.at()] == 2);
  }
}

}  // namespace

TEST_CASE("the engine and the naive simulator agree to the nanosecond on random plans") {
  std::size_t finished = 0, blocked = 0;
  const std::uint64_t cases = for_each_seed(kEngineSeeds, [&](std::uint64_t seed) {
    INFO(rerun(kProgram, seed));
    const RandomPlan random = random_plan(seed);
    const std::string text =
        write_plan_text(random.plan, random.graph, random.costs, random.budget);
    CAPTURE(text);
    const NaiveResult naive = simulate_naively(read_plan_text(text));
    const Outcome outcome =
        simulate({.plan = random.plan, .costs = random.costs, .budget = random.budget});
    check_same(random, outcome, naive);
    ++(naive.finished ? finished : blocked);
  });
  if (cases < 100) return;
  // Both ways to end are really met.
  CHECK(finished > cases / 4);
  CHECK(blocked > cases / 10);
}

TEST_CASE("first-run tasks and stalls fill the compute queue without gap or overlap") {
  SimulationBuffers buffers;
  std::size_t finished = 0, launches = 0, cases = 0;
  constexpr Bytes kOneSegment(std::int64_t{2} << 20);
  for (const Allocator allocator :
       {Allocator::kIdeal, Allocator::kFirstFit, Allocator::kBestFit, Allocator::kCaching}) {
    cases += for_each_seed(kEngineSeeds / 4, [&](std::uint64_t seed) {
      INFO(rerun(kProgram, seed));
      const RandomPlan random = random_plan(seed);
      // Rounded to 512 B an addressed run needs more: give it room to run at all.
      const Bytes budget = allocator == Allocator::kIdeal     ? random.budget
                           : allocator == Allocator::kCaching ? random.budget + kOneSegment
                                                              : random.budget * 4;
      const SimulationInput input{.plan = random.plan,
                                  .costs = random.costs,
                                  .budget = budget,
                                  .allocator = allocator,
                                  .records = true};
      if (simulate(input, buffers)) return;
      ++finished;
      check_events(random.plan, buffers.timeline);
      check_tiling(random.plan, buffers.timeline);
      check_wait_causes(random, buffers.timeline);
      launches += buffers.timeline.stall_totals[static_cast<std::size_t>(StallCause::kLaunch)] >
                  Duration(0);
    });
  }
  if (cases < 100) return;
  CHECK(finished > cases / 4);
  CHECK(launches > cases / 100);
}

TEST_CASE("a run with reused buffers gives the same timeline as a fresh one") {
  SimulationBuffers buffers;
  for_each_seed(500, [&](std::uint64_t seed) {
    INFO(rerun(kProgram, seed));
    const RandomPlan random = random_plan(seed);
    const SimulationInput input{
        .plan = random.plan, .costs = random.costs, .budget = random.budget};
    const Outcome fresh = simulate(input);
    const auto stopped = simulate(input, buffers);
    REQUIRE(stopped.has_value() == std::holds_alternative<Blocked>(fresh));
    if (stopped) return;
    const auto& timeline = std::get<Timeline>(fresh);
    REQUIRE(buffers.timeline.iteration_time == timeline.iteration_time);
    REQUIRE(buffers.timeline.stalls.size() == timeline.stalls.size());
    REQUIRE(buffers.timeline.stall_totals == timeline.stall_totals);
    REQUIRE(buffers.timeline.peak_near == timeline.peak_near);
  });
}
