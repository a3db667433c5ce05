// best: for every idle time of every tensor whether it stays, moves or is dropped and computed again, and for every task
// its algorithm, so that the iteration takes least time: found by search, judged by the engine.
//
// The class of plans: tasks in their order; between them forward tasks may run again; between two uses a tensor is near,
// away, or gone. No rounds, no compression, no pages. Decisions become a plan in one way (mix_decoder.hpp), which never
// fails where everything away fits, so a search may change any of them: seeds (capacity's way, block checkpoints, mixes
// by price) and then late acceptance (mix_search.hpp). The budget is a number of plans, --search, never seconds: the same
// job and --seed give the same plan, whatever command asks. Every other schedule of the class that may be quicker, by what
// its tasks compute or memory forces to move, makes its plans too, with algorithms in every room; the quickest is taken,
// so best is never slower than any.
//
// Example, four layers a b c d of 1 GB and 50 ms, 100 ms backward, at 4 GB and 10 GB/s: capacity moves a, whose copies
// hide completely, and so does best: 600 ms, in-core's time. At 0.1 GB/s a copy takes 10 s: then a's output is dropped
// and a runs again, for 50 ms.
//
// When it does not help: where every task's working set fills memory (all plans are alike); where the time is
// compute anyway; in rounds, which shrink working sets, more may be gained (--sub-batch auto).
//
// More memory or a faster link can make it slower: a search tries as many plans whatever there is (tests/property/monotony_test.cpp).
//
// Source: ours. Keep-or-move-or-recompute as one problem: Capuchin (ASPLOS 2020), Beaumont et al. (2021, POFO), which
// decide by rules or for chains; the search: Burke and Bykov (2017).
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "model/base/errors.hpp"
#include "simulator/plan/bounds.hpp"
#include "simulator/schedules/footprint.hpp"
#include "simulator/schedules/mix_search.hpp"
#include "simulator/schedules/own_options.hpp"

namespace ooc {

namespace {

/// Plans tried by default: so many tasks in all, an idle time as two, but no fewer plans than the first and no more than
/// the second.
constexpr std::int64_t kUsualTasks = 4'000'000;
constexpr std::int64_t kTasksOfIdle = 2;
constexpr std::int64_t kFewestPlans = 500;
constexpr std::int64_t kMostPlans = 20'000;
/// A plan that state is woven into takes so many times as long.
constexpr std::int64_t kTimesOfState = 2;
/// Of the least time that state allows: where less than that part is to be gained, nothing is looked for.
constexpr std::int64_t kWorthSearching = 1000;
/// Up to so many tasks all idle times take part, even those that are hardly worth a copy.
constexpr std::size_t kSmallGraph = 200;

std::int64_t plans_to_try(const PlanningProblem& problem, const MixFacts& facts) {
  const OwnOptions& own = *problem.options.own;
  if (own.search && *own.search < 0) {
    bad_value("--search", std::to_string(*own.search), "an integer >= 0");
  }
  auto tasks = static_cast<std::int64_t>(facts.tasks) + 1 +
               kTasksOfIdle * static_cast<std::int64_t>(facts.idle.size());
  if (problem.carries_state) tasks *= kTimesOfState;
  if (problem.options.any_plan) return 0;  // what capacity would do
  const std::int64_t usual = std::clamp(kUsualTasks / tasks, kFewestPlans, kMostPlans);
  return (own.search.value_or(usual) + own.searches - 1) / own.searches;
}

/// The plans of all others of the class that may be quicker than a time.
class Others {
 public:
  Others(const PlanningProblem& problem, std::int64_t time) : problem_(problem), time_(time) {}

  void try_all() {
    // What memory forces on plans that only move; what state books of it, it need not hold throughout.
    const auto moving = problem_.carries_state
                            ? std::nullopt
                            : lower_bounds(problem_.graph, problem_.costs, problem_.budget);
    const auto rooms = algorithm_rooms(problem_.graph, problem_.costs, problem_.budget);
    const Traits with = problem_.carries_state ? Traits{Trait::kCarriesState} : Traits{};
    for (const Contender& each : contenders(with, {Trait::kOptimizes, Trait::kMovesPages}, rooms)) {
      const bool moves = !each.schedule->is(Trait::kRecomputes);
      if (moves && moving && moving->best().count() >= time_) continue;
      attempt(each);
    }
  }

  std::int64_t time() const { return time_; }
  const std::optional<Plan>& best() const { return best_; }

 private:
  void attempt(const Contender& other) {
    PlanningProblem problem = problem_;
    problem.options = other.options;
    problem.options.trials = Trials::kTime;
    fit_algorithms(problem);
    Duration compute;
    for (std::size_t t = 0; t < problem.graph.tasks.size(); ++t) {
      compute += problem.costs[problem.chosen(make_id<TaskId>(t))].time;
    }
    const bool chooses = other.schedule->is(Trait::kChoosesAlgorithms);
    if (!chooses && compute.count() >= time_) return;
    problem.evaluate = [this](const Plan& plan) { return evaluate(plan); };
    PlanResult made = other.schedule->make_plan(problem);
    Plan* plan = std::get_if<Plan>(&made);
    if (plan == nullptr) return;
    const auto time = evaluate(*plan).iteration_time;
    if (!time || time->count() >= time_) return;
    time_ = time->count();
    best_ = std::move(*plan);
  }

  /// What computes for too long is not run.
  Trial evaluate(const Plan& plan) const {
    Duration compute;
    for (const Step& step : plan.steps) {
      if (step.kind == StepKind::kCompute) compute += problem_.costs[step.alternative].time;
    }
    if (compute.count() >= time_) return {.iteration_time = compute};
    return problem_.evaluate(plan);
  }

  const PlanningProblem& problem_;
  std::int64_t time_;
  std::optional<Plan> best_;
};

/// Everything away that can be: what does not fit then does not fit at all.
std::optional<OutOfMemory> shortage_of(const MixFacts& facts) {
  MixDecoder decoder(facts);
  const Decisions away = move_all(facts);
  const bool possible = decoder.list(away);
  OOC_CHECK(possible, "where nothing is dropped nothing has to be computed again");
  if (decoder.place(away)) return std::nullopt;
  auto shortage = decoder.shortage(MixDecoder::Away::kAll);
  OOC_CHECK(shortage, "what does not fit lacks something");
  return shortage;
}

PlanResult search(const PlanningProblem& problem, const MixFacts& facts) {
  const std::int64_t plans = plans_to_try(problem, facts);
  const std::int64_t least = problem.least_time.count();
  const std::int64_t good_enough = std::max(facts.least_compute, least + least / kWorthSearching);
  MixSearch search(facts,
                   {.plans = plans, .seed = problem.options.own->seed, .good_enough = good_enough});
  search.run();
  const bool runs = search.best_time() != MixSearch::kNever;
  if (plans > 0 ? search.best_time() > good_enough : !runs) {
    Others others(problem, search.best_time());
    others.try_all();
    if (others.best()) return *others.best();
  }
  // Where none ran, this one does not either: the engine says why.
  MixDecoder decoder(facts);
  const Decisions decisions = runs ? search.best() : keep_all(facts);
  const bool fits = decoder.list(decisions) && decoder.place(decisions);
  OOC_CHECK(fits, "what fitted fits again");
  return std::move(decoder).build_once();
}

PlanResult plan_best(const PlanningProblem& problem) {
  {
    const MixFacts few(problem, MixFacts::Algorithms::kAll, MixFacts::Idle::kWorthwhile);
    if (problem.graph.tasks.size() > kSmallGraph && !shortage_of(few)) return search(problem, few);
  }
  const MixFacts all(problem, MixFacts::Algorithms::kAll, MixFacts::Idle::kAll);
  auto shortage = shortage_of(all);
  if (!shortage) return search(problem, all);
  return *std::move(shortage);
}

constexpr std::string_view kBestOptions[] = {"--search", "--seed"};

}  // namespace

extern const Schedule best_schedule{
    .name = "best",
    .summary =
        "keep, move or drop each tensor, each task's algorithm: the quickest found by search",
    .source = "OOC-Paleo; docs/model.md, section 8",
    .traits = {Trait::kRecomputes, Trait::kPlansForLink, Trait::kChoosesAlgorithms,
               Trait::kSearchesByTrial, Trait::kOptimizes, Trait::kCarriesState},
    .options = kBestOptions,
    .make_plan = plan_best,
};

}  // namespace ooc
