// More memory or a faster link never gives a longer time by more than 0.1 %, workspaces included: every shipped schedule
// over random networks and over shipped ones. Schedules whose rules cannot promise that are named with their cause, and
// their files say so.
#include "cli/job.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "tests/support/plan_laws.hpp"
#include "tests/support/planning_problem.hpp"
#include "tests/support/property_cases.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

constexpr double kMostSlower = 1.001;

struct Exception {
  const char* schedule;
  const char* cause;
};
constexpr Exception kExceptions[] = {
    {"modnn", "greedy, on addresses"},
    {"vdnn-dyn", "the first plan that fits, not the quickest"},
    {"best", "a search of as many plans, whatever the memory"},
    {"recompute", "drops by layers, not by what a gap costs"},
    {"swap-in-out", "keeps what is written last, whatever that costs"},
    {"unified", "the driver evicts blocks, not what is used last"},
    {"unified-prefetch", "as unified"},
    {"unified-prefetch+", "as unified"},
};

bool is_exception(const Schedule& schedule) {
  return std::any_of(std::begin(kExceptions), std::end(kExceptions),
                     [&](const Exception& each) { return each.schedule == schedule.name; });
}

/// Times along budgets or links, each better than the one before; none: it does not run.
using Times = std::vector<std::optional<Duration>>;

struct Count {
  long pairs = 0;
  long slower = 0;
  double worst = 1;
  std::string worst_at;

  void add(const Times& times, const std::string& what) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      for (std::size_t j = i + 1; j < times.size(); ++j) {
        if (!times[i] || !times[j] || times[i]->count() == 0) continue;
        ++pairs;
        const double ratio =
            static_cast<double>(times[j]->count()) / static_cast<double>(times[i]->count());
        if (ratio > kMostSlower) ++slower;
        if (ratio > worst) worst_at = what + ", " + std::to_string(i) + " and " + std::to_string(j);
        worst = std::max(worst, ratio);
      }
    }
  }

  void check(const std::string& what) const {
    INFO(what, ": ", slower, " of ", pairs, " pairs, worst ", worst, " times: ", worst_at);
    CHECK(slower == 0);
  }
};

struct Counts {
  Count budgets;
  Count links;

  void check(const std::string& what) const {
    budgets.check(what + " with more memory");
    links.check(what + " with a faster link");
  }
};

/// `times[link][budget]`.
void add(Counts& counts, const std::vector<Times>& times, const std::string& what) {
  for (const Times& along_budgets : times) counts.budgets.add(along_budgets, what);
  for (std::size_t budget = 0; budget < times.front().size(); ++budget) {
    Times along_links;
    for (const Times& each : times) along_links.push_back(each[budget]);
    counts.links.add(along_links, what);
  }
}

/// From the smallest to a little more than the largest, in equal ratios.
std::vector<Bytes> budgets_between(Bytes smallest, Bytes largest, std::size_t count) {
  const double ratio = static_cast<double>(largest.count()) / static_cast<double>(smallest.count());
  std::vector<Bytes> budgets;
  for (std::size_t i = 0; i < count; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(count - 1);
    const double bytes = static_cast<double>(smallest.count()) * std::pow(ratio, part);
    budgets.emplace_back(static_cast<std::int64_t>(std::ceil(bytes)));
  }
  return budgets;
}

// Random networks.

Bytes least_of(const Workload& workload, const char* schedule) {
  return smallest_of(find_schedule(schedule)->make_plan(problem_of(workload, Bytes(0))));
}

void count_random(Counts& counts, const Schedule& schedule, std::uint64_t seed) {
  constexpr std::size_t kBudgets = 8;
  static constexpr NetworkForm kForms[] = {NetworkForm::kCustomChain, NetworkForm::kMixedChain,
                                           NetworkForm::kRealChain, NetworkForm::kGraph,
                                           NetworkForm::kSequence};
  Dice dice(seed);
  Workload workload = random_workload(dice, kForms, 4, 40);
  const Bytes smallest = std::max(Bytes(1), least_of(workload, schedule.name.data()));
  const Bytes largest = std::max(smallest, least_of(workload, "in-core"));
  LinkSpec link = random_link(dice, workload);
  if (link.to_far == kInfiniteRate || link.to_near == kInfiniteRate) return;
  std::vector<Times> times;
  for (int i = 0; i < 4; ++i) {
    set_link(workload.costs, link);
    Times along_budgets;
    for (const Bytes budget : budgets_between(smallest, largest, kBudgets)) {
      const PlanningProblem problem = problem_of(workload, budget);
      const PlanResult made = schedule.make_plan(problem);
      along_budgets.push_back(problem.evaluate(std::get<Plan>(made)).iteration_time);
    }
    times.push_back(along_budgets);
    link.to_far = BytesPerSecond(link.to_far.count() * 2);
    link.to_near = BytesPerSecond(link.to_near.count() * 2);
  }
  add(counts, times, "seed " + std::to_string(seed));
}

/// Whether fewer cases are asked for (under sanitizers): some of each, too few to count.
bool few() { return case_count(1'000) < 1'000; }

TEST_CASE("more memory or a faster link is not slower: random networks") {
  for (const Schedule* schedule : schedules()) {
    if (is_exception(*schedule)) continue;
    Counts counts;
    for (std::uint64_t seed = 1; seed <= (few() ? 3U : 40U); ++seed) {
      count_random(counts, *schedule, seed);
    }
    counts.check(std::string(schedule->name));
  }
}

// Shipped networks.

struct Job {
  const char* network;
  const char* hardware;
  std::int64_t batch;
};

/// Those that surprised most when each budget had its plan. With so few pairs none may be slower.
constexpr Job kJobs[] = {{"alexnet", "v100-16gb-pcie3", 128},
                         {"resnet18", "v100-16gb-pcie3", 128},
                         {"vgg16", "v100-16gb-pcie3", 64},
                         {"googlenet_v1", "p100-pcie3", 64},
                         {"resnet50", "k40m", 64},
                         {"fcn", "k40m", 128}};

std::optional<Duration> time_of(const Case& which, const Schedule& schedule) {
  const CaseRun run = run_case(which, schedule, Bounds::kNone);
  const auto* timeline = run.timeline();
  if (timeline == nullptr) return std::nullopt;
  return timeline->iteration_time;
}

void count_shipped(Counts& counts, const Job& job, const Schedule& schedule,
                   SubBatch::Kind rounds) {
  CaseOptions options;
  options.batch = job.batch;
  options.schedule.sub_batch.kind = rounds;
  const Machine machine = load_hardware(job.hardware, "--hardware", options);
  const ooc::Workload workload = load_workload(job.network, "NETWORK", options);
  const auto least = [&](const Schedule& of) {
    options.memory = Bytes(1);
    const CaseRun run = run_case(make_case(workload, machine, options), of, Bounds::kNone);
    return std::get<OutOfMemory>(run.plan).smallest_budget.value();
  };
  const Bytes smallest = least(schedule);
  options.schedule.sub_batch.kind = SubBatch::Kind::kOff;
  const Bytes largest = least(*find_schedule("in-core"));
  options.schedule.sub_batch.kind = rounds;
  const auto times = [&](std::size_t count) {
    Times along_budgets;
    for (const Bytes budget : budgets_between(smallest, largest, count)) {
      options.memory = budget;
      along_budgets.push_back(time_of(make_case(workload, machine, options), schedule));
    }
    return along_budgets;
  };
  counts.budgets.add(times(12), std::string(job.network) + " on " + job.hardware);
  std::vector<Times> by_link;
  for (const std::int64_t gigabytes : {6, 8, 12, 16, 24, 48}) {
    options.transfers.link = BytesPerSecond(gigabytes * 1'000'000'000);
    by_link.push_back(times(3));
  }
  add(counts, by_link, std::string(job.network) + " on " + job.hardware + ", links");
}

TEST_CASE("more memory or a faster link is not slower: shipped networks" *
          doctest::test_suite("whole networks")) {
  for (const Schedule* schedule : schedules()) {
    if (is_exception(*schedule)) continue;
    Counts counts;
    for (const Job& job : kJobs) {
      count_shipped(counts, job, *schedule, SubBatch::Kind::kOff);
      if (few()) break;
    }
    counts.check(std::string(schedule->name));
  }
}

}  // namespace
}  // namespace ooc::test
