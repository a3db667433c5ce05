// modnn: moDNN's static list scheduling. The tasks are gone through once, in order, on a simulated
// clock; for each one the memory it needs is made free, its convolution algorithm is chosen by what
// it gains, and what later tasks need is fetched as late as does not delay them. There is one
// compute queue and one transfer queue for both directions; outputs and gradients may leave, weights
// stay; a tensor is copied out at most once as long as nobody changes it, and just dropped after
// that. Each task needs no more than its own inputs and outputs, so the smallest budget is the
// theoretical one: weights + the largest task (eq. 2).
//
// For each task t, at time T (Algorithm 1):
//   1. its outputs and missing inputs get addresses: a hole, else an offloading scheme (contiguous
//      segments whose blocks leave; of all those the one of least delay), else an input of t itself
//      leaves for another place, else everything leaves and what t needs comes back (defragmentation);
//      then the inputs are loaded;
//   2. the algorithm of greatest gain T_base - T_alg - T_off - T_pre (eq. 5): T_off is the delay of
//      making room for its workspace, T_pre the copies for the next task with missing inputs that
//      would find no room beside it;
//   3. for the tasks s behind it that lack inputs: stop if some task up to s could then not be
//      allocated, or if starting after t is early enough, T + T_alg(t) + copies <= EST(s) (eq. 4); else
//      fetch them now. The queue's backlog counts, and so do the copies for nearer tasks that have to
//      go first: s starts now too if a task behind it would else be late.
//
// That is done many times, and the plan that ends first is taken, of equals the one made first (ours;
// docs/adr/0015-plans-by-trial.md). A greedy schedule is thrown off by little, so that more memory or a faster link
// could make it slower; what is planned for therefore depends on the job alone:
//   * memory: without moving anything, where all fits (algorithms then take what room there is); else
//     sizes from that downwards in small steps, of which those take part that the budget has room for;
//   * link: lengths of copies from a little faster than those at hand to those of slow links;
//   * policy: the paper's rules; with prefetches that send nothing away but what far memory holds too;
//     with these and schemes by next use instead of delay; and with these and, instead of eq. 5, the fastest
//     algorithm for which all else has to leave at most. Least delay is right where the queue has time and wrong
//     where it is the bottleneck, and no rule was found that tells one from the other beforehand.
// A plan is given up when it can no longer be the best.
//
// --as-published makes one plan instead, for the memory and the link at hand, by the rules as printed: eq. 4 for
// each task alone, everything leaves wherever no scheme is found; and rounds are those of eq. 3
// (docs/adr/0048-modnn-as-published.md).
//
// Example, the paper's Fig. 3: four layers a b c d that save their outputs, a needs 40 ms, the copy of
// its output 50 ms. b takes 60 ms; c's output finds no room, so a's output leaves. b was its last
// user in forward and a copy may lie before the decision, but not before the end of b: c waits 50 ms
// (3a). Where it is d's output that finds no room, the copy began with c and hides behind it (3b).
//
// When it does not help: where compute is shorter than the copies it cannot hide them, only choose
// which; where memory is so scarce that most tasks defragment, every task waits for its own inputs.
//
// Source: Chen, Chen, Hu, "moDNN: Memory Optimal DNN Training on GPUs" (DATE 2018), Algorithm 1,
// section IV. The sub-batch size (eq. 3) is chosen in sub_batch.cpp, for any schedule.
// Where the paper is silent or this deviates: a block that forward makes for backward alone counts as used
// when made; a prefetch sends away only blocks that are needed after its own task; "can be
// allocated" is predicted from what every task needs by itself and what is already fetched for later ones;
// EST(s) takes the fastest algorithm of the tasks before s; a tensor that a task changes after its copy out is
// copied again; which of equal schemes is taken, and how many are tried, stands in
// modnn_room.cpp; several
// policies, and several sub-batches, are tried (docs/adr/0009-modnn-tries-several-plans.md); so are smaller
// memories and other links.
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "model/base/errors.hpp"
#include "simulator/plan/bounds.hpp"
#include "simulator/schedules/footprint.hpp"
#include "simulator/schedules/modnn_machine.hpp"
#include "simulator/schedules/own_options.hpp"

namespace ooc {
namespace {

/// How many tasks that lack something are looked at, to see whether the queue will be late for one.
constexpr int kLookAhead = 16;

/// None when every task fits by itself.
std::optional<OutOfMemory> shortage(const PlanningProblem& problem,
                                    const std::vector<Bytes>& needed) {
  const Bytes fixed = problem.costs.static_bytes;
  const Bytes available = problem.budget - fixed;
  const auto fits = [&](Bytes bytes) { return bytes <= available; };
  const auto first = std::find_if_not(needed.begin(), needed.end(), fits);
  if (first == needed.end() && fits(Bytes(0))) return std::nullopt;
  OutOfMemory oom;
  oom.free = std::max(Bytes(0), available);
  oom.largest_hole = oom.free;
  if (fixed.count() > 0) oom.holders.push_back({"weights, gradients, optimiser state", fixed});
  oom.step = "the start";
  oom.smallest_budget = fixed;
  if (first == needed.end()) return oom;
  oom.step =
      task_name(problem.graph, make_id<TaskId>(static_cast<std::size_t>(first - needed.begin())));
  oom.wanted = *first;
  oom.smallest_budget = fixed + *std::max_element(needed.begin(), needed.end());
  return oom;
}

/// What every task would need with everything near, without workspaces.
std::vector<Bytes> needed_in_core(const PlanningProblem& problem) {
  const TrainingGraph& graph = problem.graph;
  Footprint in_core(problem, graph.tasks.size());
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const Lifetime& life = graph.lifetimes[i];
    if (!life.last_use) continue;
    in_core.add({make_id<TensorId>(i), first_task(life), life.last_use->at() + 1});
  }
  return in_core.bytes();
}

/// What there is to plan with.
struct MemoryToUse {
  Bytes addresses;
  std::vector<Bytes> workspaces;  ///< by task: the largest allowed; empty: what finds room
};

/// Where everything fits as it is, one way is to move nothing, also not because of holes: there are
/// then addresses for every tensor, and what counts is the bytes in use.
std::optional<MemoryToUse> memory_without_moves(const PlanningProblem& problem,
                                                std::vector<Bytes> in_core) {
  const Bytes available = problem.budget - problem.costs.static_bytes;
  Bytes largest;
  for (std::size_t i = 0; i < in_core.size(); ++i) {
    Bytes& free = in_core[i];
    free = available - free;
    const AlternativeId base = base_way(problem.costs, make_id<TaskId>(i));
    if (problem.costs[base].workspace > free) return std::nullopt;
    largest = std::max(largest, free);
  }
  Bytes all = largest;
  for (std::size_t i = 0; i < problem.graph.tensors.size(); ++i) {
    if (problem.graph.lifetimes[i].last_use) all += problem.costs.tensor_bytes[i];
  }
  return MemoryToUse{.addresses = all, .workspaces = std::move(in_core)};
}

/// By task, plus one: sum of the least times before it.
std::vector<Duration> fastest_times(const CostTable& costs, std::size_t tasks) {
  std::vector<Duration> fastest{Duration(0)};
  fastest.reserve(tasks + 1);
  for (std::size_t i = 0; i < tasks; ++i) {
    const AlternativeId way = costs.alternative(make_id<TaskId>(i), AlgorithmChoice::kPerformance);
    fastest.push_back(fastest.back() + costs[way].time);
  }
  return fastest;
}

class Algorithm1 {
 public:
  Algorithm1(const ModnnJob& job, const std::vector<Duration>& fastest, const ModnnWay& way,
             const std::vector<Bytes>& workspaces)
      : job_(job),
        way_(way),
        costs_(job.problem.costs),
        copies_in_(way.copies.to_near),
        machine_(job, way),
        workspaces_(workspaces),
        fastest_(fastest) {}

  /// None: it would end at `limit` or later.
  std::optional<Plan> run(std::optional<Duration> limit) && {
    for (std::size_t i = 0; i + 1 < fastest_.size(); ++i) {
      task_ = make_id<TaskId>(i);
      const AlternativeId base = start_with();
      machine_.begin(task_);
      machine_.prepare(costs_[base].workspace);
      const AlternativeId way = choose(base);
      prefetch(costs_[way].time);
      machine_.run(way);
      const Duration rest = fastest_.back() - fastest_[i + 1];
      if (limit && std::max(machine_.true_now() + rest, machine_.true_least_end()) >= *limit) {
        return std::nullopt;
      }
    }
    return std::move(machine_).finish();
  }

 private:
  /// What the task at hand has room for by itself.
  [[nodiscard]] Bytes most_workspace() const {
    const Bytes least = costs_[base_way(costs_, task_)].workspace;
    return way_.addresses - job_.needed[task_.at()] + least;
  }

  /// What the task at hand needs room for before anything is chosen.
  [[nodiscard]] AlternativeId start_with() const {
    AlternativeId best = base_way(costs_, task_);
    if (way_.policy.algorithms == Choose::kByGain) return best;
    const Bytes most = most_workspace();
    for (std::int32_t i = costs_.first_alternative[task_.at()];
         i < costs_.first_alternative[task_.at() + 1]; ++i) {
      const TaskAlternative& way = costs_[AlternativeId{i}];
      if (way.workspace <= most && way.time < costs_[best].time) best = AlternativeId{i};
    }
    return best;
  }
  [[nodiscard]] Duration copy_in(TensorId tensor) const { return copies_in_[tensor.at()]; }

  /// What a task has to fetch.
  struct Missing {
    Duration copies;
    Bytes bytes;
  };
  void add_missing(TaskId task, Missing& missing) const {
    for (const TensorId tensor : machine_.touched(task)) {
      if (!machine_.is_far(tensor)) continue;
      missing.copies += copy_in(tensor);
      missing.bytes += costs_.tensor_bytes[tensor.at()];
    }
  }

  /// When `task` is expected to start if the task at hand takes `time`.
  [[nodiscard]] Duration expected_start(TaskId task, Duration time) const {
    return machine_.now() + time + fastest_[task.at()] - fastest_[task_.at() + 1];
  }

  /// Eq. 4: copies for `first`, the next task that lacks something, would come too late if they began
  /// after the task at hand; or those for a task behind it would, which stand behind them in the queue.
  /// As printed only the former, as if nothing else were in the queue.
  [[nodiscard]] bool must_start_now(TaskId first, Duration time) const {
    const bool alone = way_.policy.as_printed;
    const Duration after =
        std::max(alone ? Duration(0) : machine_.queue_free(), machine_.now() + time);
    Missing missing;
    std::optional<TaskId> task = first;
    for (int i = 0; task && i < (alone ? 1 : kLookAhead);
         ++i, task = machine_.next_missing(*task)) {
      add_missing(*task, missing);
      if (after + missing.copies <= expected_start(*task, time)) continue;
      return machine_.allocatable(*task, missing.bytes);  // then the nearer ones are, too
    }
    return false;
  }

  /// T_pre of eq. 5: copies for the next task with missing inputs that find room now, but not
  /// beside the workspace, and cannot wait.
  [[nodiscard]] Duration delayed_prefetch(const TaskAlternative& way) const {
    const auto next = machine_.next_missing(task_);
    if (!next) return Duration(0);
    if (!must_start_now(*next, way.time)) return Duration(0);
    Duration delayed;
    Bytes bytes;
    for (const TensorId tensor : machine_.touched(*next)) {
      if (!machine_.is_far(tensor)) continue;
      bytes += costs_.tensor_bytes[tensor.at()];
      const bool fits = bytes <= machine_.free_bytes();
      if (fits && bytes + way.workspace > machine_.free_bytes()) delayed += copy_in(tensor);
    }
    return delayed;
  }

  /// The way of greatest gain (eq. 5), its workspace taken. The fastest first: no other can gain
  /// more than the time that it saves.
  AlternativeId choose(AlternativeId base) {
    AlternativeId best = base;
    Duration best_gain;
    std::optional<Room> best_room;
    for (std::int32_t i = costs_.first_alternative[task_.at() + 1];
         i-- > costs_.first_alternative[task_.at()];) {
      const TaskAlternative& way = costs_[AlternativeId{i}];
      const Duration saved = costs_[base].time - way.time;
      if (saved <= best_gain) continue;
      if (!workspaces_.empty() && way.workspace > workspaces_[task_.at()]) continue;
      Duration delay;
      std::optional<Room> room;
      if (way.workspace > costs_[base].workspace) {
        room = machine_.find_room(way.workspace, task_, Search::kNearby);
        // As printed everything leaves for a workspace, too.
        const bool alone = way_.policy.as_printed && way.workspace <= most_workspace();
        if (!room && !alone) continue;
        const Duration ready = room ? room->ready : machine_.ready_by_defragmenting();
        delay = std::max(Duration(0), ready - machine_.now());
      }
      const Duration gain = saved - delay - delayed_prefetch(way);
      if (gain <= best_gain) continue;
      best = AlternativeId{i};
      best_gain = gain;
      best_room = room;
    }
    const Bytes workspace = costs_[best].workspace;
    if (best_room) {
      machine_.take_workspace(*best_room, workspace);
    } else if (workspace > costs_[base].workspace) {
      machine_.defragment_for(workspace);
    }
    return best;
  }

  /// Step 3, for a task at hand that takes `time`.
  void prefetch(Duration time) {
    TaskId behind = task_;
    while (const auto next = machine_.next_missing(behind)) {
      if (!must_start_now(*next, time)) return;
      for (const TensorId tensor : machine_.touched(*next)) {
        if (machine_.is_far(tensor) && !machine_.prefetch(tensor, *next)) return;
      }
      behind = *next;
    }
  }

  const ModnnJob& job_;
  const ModnnWay& way_;
  const CostTable& costs_;
  const std::vector<Duration>& copies_in_;  ///< by tensor
  ModnnMachine machine_;
  const std::vector<Bytes>& workspaces_;
  const std::vector<Duration>& fastest_;
  TaskId task_;
};

/// The paper's rules first: of equal plans the first is taken.
constexpr ModnnPolicy kPolicies[] = {{Prefer::kLeastDelay, Search::kNearby},
                                     {Prefer::kLeastDelay, Search::kDrop},
                                     {Prefer::kNeededLast, Search::kDrop},
                                     {Prefer::kNeededLast, Search::kDrop, Choose::kFastest}};

/// Sizes of memory to plan for: from that in which nothing moves downwards by this factor, ...
constexpr double kMemoryStep = 1.03;
/// ... as far as the memory at hand divided by this one.
constexpr double kMemoryReach = 3;
/// With so many tasks also what each of them would need with everything near: a byte decides there.
constexpr std::size_t kFewTasks = 64;
/// Rates of the link to plan for, as the time that all copies in together take of that of computing: from the
/// fastest one to the slowest by the square root of two, so many at least.
constexpr double kFastestRate = 1.0 / 16;
constexpr double kSlowestRate = 8;
constexpr double kRateStep = 1.4142135623730951;
constexpr int kFewestRates = 4;

/// Sizes of memory to plan for, the largest first. They depend on the job alone, not on its budget, which only
/// says which of them take part: what more memory may choose from is what less memory may, and more.
std::vector<Bytes> memories_to_plan_for(const PlanningProblem& problem, Bytes least, Bytes most,
                                        const std::vector<Bytes>& in_core) {
  const Bytes available = problem.budget - problem.costs.static_bytes;
  const double reach = static_cast<double>(std::min(available, most).count()) / kMemoryReach;
  std::vector<Bytes> memories{least};
  if (in_core.size() <= kFewTasks) memories = in_core;
  auto size = static_cast<double>(most.count());
  while (size > reach) {
    memories.emplace_back(static_cast<std::int64_t>(size));
    size /= kMemoryStep;
  }
  std::erase_if(memories, [&](Bytes memory) {
    return memory < least || memory > available || static_cast<double>(memory.count()) <= reach;
  });
  if (static_cast<double>(least.count()) > reach || memories.empty()) memories.push_back(least);
  std::sort(memories.begin(), memories.end(), std::greater<>());
  memories.erase(std::unique(memories.begin(), memories.end()), memories.end());
  return memories;
}

/// Lengths of copies to plan with, from those of a link a little faster than the one at hand to those of slow
/// ones. They too depend on the job alone (in proportion to bytes), and the link only says which of them take part: with a
/// faster one more.
std::vector<CopyTimes> rates_to_plan_for(const CostTable& costs, Duration compute) {
  double bytes = 0;
  double copies = 0;
  for (std::size_t i = 0; i < costs.tensor_bytes.size(); ++i) {
    bytes += static_cast<double>(costs.tensor_bytes[i].count());
    copies += static_cast<double>(costs.transfers.to_near[i].alone.count());
  }
  const auto time = static_cast<double>(compute.count());
  if (copies == 0 || bytes == 0 || time == 0) {
    const std::vector<Duration> free(costs.tensor_bytes.size());
    return {{.to_far = free, .to_near = free}};
  }
  double rate = kFastestRate;
  while (rate * kRateStep < copies / time) rate *= kRateStep;
  std::vector<CopyTimes> rates;
  for (; rate <= kSlowestRate * 1.001 || rates.size() < kFewestRates; rate *= kRateStep) {
    std::vector<Duration> times;
    times.reserve(costs.tensor_bytes.size());
    for (const Bytes each : costs.tensor_bytes) {
      const double share = static_cast<double>(each.count()) / bytes;
      times.emplace_back(static_cast<std::int64_t>(share * rate * time));
    }
    rates.push_back({.to_far = times, .to_near = times});
  }
  return rates;
}

/// Plans of one job, and the best of them.
class Trials {
 public:
  explicit Trials(const ModnnJob& job)
      : job_(job),
        fastest_(fastest_times(job.problem.costs, job.needed.size())),
        rates_(rates_to_plan_for(job.problem.costs, fastest_.back())) {}

  Plan run() && {
    const PlanningProblem& problem = job_.problem;
    const std::vector<Bytes> in_core = needed_in_core(problem);
    Bytes most;
    for (std::size_t i = 0; i < in_core.size(); ++i) {
      const AlternativeId way =
          problem.costs.alternative(make_id<TaskId>(i), AlgorithmChoice::kPerformance);
      most = std::max(most, in_core[i] + problem.costs[way].workspace);
    }
    if (const auto memory = memory_without_moves(problem, in_core)) {
      attempt({.addresses = memory->addresses, .copies = rates_.front()}, memory->workspaces);
    }
    Bytes least;
    for (const Bytes needed : job_.needed) least = std::max(least, needed);
    for (const Bytes memory : memories_to_plan_for(problem, least, most, in_core)) {
      if (!can_be_better_in(memory)) break;
      for (const CopyTimes& copies : rates_) {
        for (const ModnnPolicy policy : kPolicies) {
          attempt({.addresses = memory, .copies = copies, .policy = policy}, {});
          if (problem.options.any_plan) return *std::move(best_);
        }
      }
    }
    return *std::move(best_);
  }

 private:
  [[nodiscard]] bool can_be_better_in(Bytes memory) const {
    if (!least_) return true;
    if (*least_ <= fastest_.back()) return false;
    const PlanningProblem& problem = job_.problem;
    const auto bounds = lower_bounds(problem.graph, problem.costs,
                                     problem.costs.static_bytes + memory, BoundEffort::kCut);
    return bounds->best() < *least_;
  }

  /// A plan that ends first; of equals the one tried first.
  void attempt(const ModnnWay& way, const std::vector<Bytes>& workspaces) {
    std::optional<Plan> plan = Algorithm1(job_, fastest_, way, workspaces).run(least_);
    if (!plan) return;
    const Trial trial = job_.problem.evaluate(*plan);
    const bool better = trial.iteration_time && (!least_ || *trial.iteration_time < *least_);
    if (best_ && !better) return;
    if (better) least_ = trial.iteration_time;
    best_ = std::move(plan);
  }

  const ModnnJob& job_;
  std::vector<Duration> fastest_;
  std::vector<CopyTimes> rates_;
  std::optional<Plan> best_;
  std::optional<Duration> least_;  ///< its time
};

/// The one plan of the paper: for the memory and the link at hand.
Plan plan_as_published(const ModnnJob& job) {
  const CostTable& costs = job.problem.costs;
  const std::vector<Duration> fastest = fastest_times(costs, job.needed.size());
  CopyTimes copies;
  for (const TransferCost& copy : costs.transfers.to_far) copies.to_far.push_back(copy.alone);
  for (const TransferCost& copy : costs.transfers.to_near) copies.to_near.push_back(copy.alone);
  const ModnnWay way{.addresses = job.problem.budget - costs.static_bytes,
                     .copies = copies,
                     .policy = {.as_printed = true}};
  return *Algorithm1(job, fastest, way, {}).run(std::nullopt);
}

PlanResult plan_modnn(const PlanningProblem& problem) {
  const ModnnJob job(problem);
  if (auto oom = shortage(problem, job.needed)) return *std::move(oom);
  if (problem.options.own->as_published) return plan_as_published(job);
  OOC_CHECK(problem.evaluate, "who searches by trial can try");
  return Trials(job).run();
}

constexpr std::string_view kModnnOptions[] = {"--no-backdating", "--as-published"};

}  // namespace

extern const Schedule modnn_schedule{
    .name = "modnn",
    .summary = "list scheduling: offload what costs least, fetch just in time, choose algorithms",
    .source = "Chen, Chen, Hu, moDNN (DATE 2018), section IV",
    .traits = {Trait::kPlansForLink, Trait::kChoosesAlgorithms, Trait::kSubBatches,
               Trait::kSearchesByTrial},
    .options = kModnnOptions,
    .make_plan = plan_modnn,
};

}  // namespace ooc
