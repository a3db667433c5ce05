// Plans fill memory to the byte, and a caching allocator cannot hand all of it out. Do jobs run under it all the
// same? Shipped networks under every schedule, with less memory than they take: reserved memory stays within the
// budget and above what lives, the margin that is left is said, sweeps and `predict` leave the same one, and what
// runs in the budget less the largest margin with every byte usable runs in the budget with this allocator.
#include "cli/job.hpp"
#include "model/software/framework_json.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "simulator/schedules/own_options.hpp"
#include "tests/support/property_cases.hpp"
#include "tests/support/test.hpp"

namespace ooc {
namespace {

/// A part of the cases is asked for: those that fail where each budget has one plan, for all of it.
bool coarse() { return test::case_count(1'000) < 1'000; }

/// The most that lives at once on one device, rounded as an allocator has to, static bytes included. Blocks
/// that begin and end at one instant are left out.
Bytes most_live(const Plan& plan, const Timeline& timeline) {
  std::vector<std::tuple<Duration, std::int64_t>> changes;  // what is freed comes first
  const auto add = [&](BlockId id, Duration from) {
    const std::int64_t bytes = (plan.blocks[id.at()].bytes.count() + 511) / 512 * 512;
    const auto releasers = plan.releasers[id];
    Duration until = timeline.iteration_time;
    if (!releasers.empty()) {
      until = Duration(0);
      for (const StepId step : releasers) until = std::max(until, timeline.spans[step.at()].end);
    }
    if (until <= from) return;
    changes.emplace_back(from, bytes);
    changes.emplace_back(until, -bytes);
  };
  for (const BlockId id : plan.initial_blocks) add(id, Duration(0));
  for (std::size_t step = 0; step < plan.steps.size(); ++step) {
    for (const BlockId id : plan.acquires[make_id<StepId>(step)]) {
      add(id, timeline.spans[step].start);
    }
  }
  std::sort(changes.begin(), changes.end());
  std::int64_t live = 0, most = 0;
  for (const auto& [at, bytes] : changes) most = std::max(most, live += bytes);
  return plan.static_bytes + Bytes(most);
}

CaseRun run_with(const Workload& workload, const Machine& machine, CaseOptions options,
                 const Schedule& schedule, Allocator allocator, Bytes budget) {
  options.memory = budget;
  options.allocator = allocator;
  options.schedule.own.change().search = 0;  // any plan will do
  return run_case(make_case(workload, machine, options), schedule, Bounds::kNone);
}

struct Seen {
  int with_margin = 0, run_in_two_thirds = 0, exceptions = 0;
};

void check(const CaseRun& run, Bytes budget, Seen& seen) {
  const Timeline* timeline = run.timeline();
  if (run.planned_for) {
    ++seen.with_margin;
    REQUIRE(timeline != nullptr);
    CHECK(*run.planned_for < budget);
    CHECK(*run.planned_for >= budget.count() / 100 * 66 * Bytes(1));
  }
  if (timeline == nullptr) return;
  CHECK(timeline->peak_near <= budget);
  if (!run.pages) {
    CHECK(timeline->peak_near >= most_live(std::get<Plan>(run.plan), *timeline));
  }
}

TEST_CASE("what a caching allocator holds back is left to it, and jobs run" *
          doctest::test_suite("whole networks")) {
  Seen seen;
  for (const auto& job :
       {std::pair("resnet50", 64), {"vgg16", 64}, {"densenet121", 64}, {"bert_large", 4}}) {
    const char* network = job.first;
    CAPTURE(network);
    CaseOptions options;
    options.batch = job.second;
    const Workload workload = load_workload(network, "NETWORK", options);
    const Machine machine = load_hardware("v100-16gb-pcie3", "--hardware", options);
    const Bytes in_core = make_case(workload, machine, options).in_core_peak;
    for (const Schedule* schedule : schedules()) {
      CAPTURE(schedule->name);
      for (const std::int64_t percent : {85, 70, 50}) {
        if (coarse() && percent != 70) continue;
        CAPTURE(percent);
        const Bytes budget(in_core.count() / 100 * percent);
        const CaseRun run =
            run_with(workload, machine, options, *schedule, Allocator::kCaching, budget);
        check(run, budget, seen);
        const CaseRun ideal = run_with(workload, machine, options, *schedule, Allocator::kIdeal,
                                       Bytes(budget.count() / 100 * 68));
        if (ideal.timeline() == nullptr) continue;
        ++seen.run_in_two_thirds;
        if (run.timeline() == nullptr) ++seen.exceptions;
      }
    }
  }
  CHECK(seen.with_margin > (coarse() ? 5 : 20));
  CHECK(seen.run_in_two_thirds > (coarse() ? 15 : 50));
  CHECK(seen.exceptions <= seen.run_in_two_thirds / 50);  // holes may take more than a third
}

// With one plan for all of the memory the worst of these was 1.74 times as slow with a quarter of a GiB more.
TEST_CASE(
    "under a caching allocator more memory is slower by 2 % at most for who searches by trial" *
    doctest::test_suite("whole networks")) {
  CaseOptions options;
  options.batch = 256;
  load_framework(options, "pytorch-2", "--framework");
  const Workload workload = load_workload("googlenet", "NETWORK", options);
  const Machine machine = load_hardware("v100-16gb-pcie3", "--hardware", options);
  for (const char* name : {"superneurons", "checkpoint-offload"}) {
    CAPTURE(name);
    std::optional<Duration> best;
    for (int sixteenths = coarse() ? 80 : 60; sixteenths <= 84; sixteenths += 4) {
      CAPTURE(sixteenths);
      options.memory = Bytes((std::int64_t{sixteenths} << 30) / 16);
      const CaseRun run =
          run_case(make_case(workload, machine, options), *find_schedule(name), Bounds::kNone);
      const Timeline* timeline = run.timeline();
      REQUIRE(timeline != nullptr);
      const Duration time = timeline->iteration_time;
      if (best) CHECK(time.count() <= best->count() / 100 * 102);
      best = best ? std::min(*best, time) : time;
    }
  }
}

// With the plan for all of memory wherever that ran, MobileNet v2 was 3.4 % slower with more memory, and under vdnn-prefix
// GoogLeNet 8.5 %.
TEST_CASE("under a caching allocator more memory is not slower: plans that are not tried" *
          doctest::test_suite("whole networks")) {
  CaseOptions options;
  options.batch = 32;
  options.transfers.link = BytesPerSecond(32'000'000'000);
  load_framework(options, "pytorch-1", "--framework");
  const Machine machine = load_hardware("v100-16gb-pcie3", "--hardware", options);
  for (const char* network : {"mobilenetv2_100", "googlenet"}) {
    const Workload workload = load_workload(network, "NETWORK", options);
    const Bytes in_core = make_case(workload, machine, options).in_core_peak;
    for (const char* name : {"capacity", "swap-in-out", "lms", "vdnn-prefix", "offload-layers"}) {
      std::optional<Duration> best;
      for (int percent = coarse() ? 55 : 40; percent <= (coarse() ? 60 : 110); percent += 5) {
        CAPTURE(network);
        CAPTURE(name);
        CAPTURE(percent);
        options.memory = Bytes(in_core.count() / 100 * percent);
        const CaseRun run =
            run_case(make_case(workload, machine, options), *find_schedule(name), Bounds::kNone);
        const Timeline* timeline = run.timeline();
        CHECK((timeline != nullptr || !best));
        if (timeline == nullptr) continue;
        const Duration time = timeline->iteration_time;
        if (best) CHECK(time.count() <= best->count() / 1000 * 1001);
        best = best ? std::min(*best, time) : time;
      }
    }
  }
}

// As every byte of it would give. Among plans that fill memory, which block, it was 2.2 times.
TEST_CASE("a search finds plans that a caching allocator runs in half as long again at most" *
          doctest::test_suite("whole networks")) {
  CaseOptions options;
  options.batch = 256;
  options.memory = Bytes(std::int64_t{13} << 30);
  options.schedule.own.change().search = 600;
  load_framework(options, "pytorch-2", "--framework");
  const Workload workload = load_workload("vgg16", "NETWORK", options);
  const Machine machine = load_hardware("v100-16gb-pcie3", "--hardware", options);
  const auto time_with = [&](Allocator allocator) {
    options.allocator = allocator;
    const CaseRun run =
        run_case(make_case(workload, machine, options), *find_schedule("best"), Bounds::kNone);
    REQUIRE(run.timeline() != nullptr);
    return run.timeline()->iteration_time.count();
  };
  const std::int64_t ideal = time_with(Allocator::kIdeal);
  const std::int64_t caching = time_with(Allocator::kCaching);
  MESSAGE((caching * 100 / ideal) << " % of it");
  CHECK(caching <= ideal / 100 * 150);
}

TEST_CASE("best is no slower than a schedule that a caching allocator blocks at first" *
          doctest::test_suite("whole networks")) {
  struct Job {
    const char* network;
    const char* machine;
    std::int64_t batch;
    std::int64_t memory;
    const char* other;
  };
  // The second runs with algorithms between the slowest and the fastest.
  for (const Job& job : {Job{"mobilenetv2_100", "rtx-3090", 8, 666'405'829, "recompute"},
                         Job{"alexnet", "v100-16gb-pcie3", 256, 1'694'793'683, "superneurons"}}) {
    CAPTURE(job.network);
    CaseOptions options;
    options.batch = job.batch;
    load_framework(options, "pytorch-2", "--framework");
    options.schedule.own.change().search = 60;
    options.memory = Bytes(job.memory);
    const Workload workload = load_workload(job.network, "NETWORK", options);
    const Machine machine = load_hardware(job.machine, "--hardware", options);
    const Case which = make_case(workload, machine, options);
    const CaseRun other = run_case(which, *find_schedule(job.other), Bounds::kNone);
    const CaseRun best = run_case(which, *find_schedule("best"), Bounds::kNone);
    REQUIRE(other.planned_for);
    REQUIRE(best.timeline() != nullptr);
    CHECK(best.timeline()->iteration_time <= other.timeline()->iteration_time);
  }
}

}  // namespace
}  // namespace ooc
