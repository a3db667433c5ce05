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
// That is done up to four times and the plan that ends first on the machine's clock is taken, of equals
// the first: without moving anything, where all fits (algorithms then take what room there is); by
// the paper's rules; with prefetches that send nothing away but what far memory holds too; and with
// these and schemes by next use instead of delay. Least delay is right where the queue has time and wrong
// where it is the bottleneck, and no rule was found that tells one from the other beforehand.
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
// policies, and several sub-batches, are tried (docs/adr/0009-modnn-tries-several-plans.md).
#include <algorithm>
#include <utility>

#include "simulator/schedules/footprint.hpp"
#include "simulator/schedules/modnn_machine.hpp"

namespace ooc {
namespace {

/// How many tasks that lack something are looked at, to see whether the queue will be late for one.
constexpr int kLookAhead = 16;

/// The way with the least workspace: the paper's implicit GEMM.
AlternativeId base_way(const CostTable& costs, TaskId task) {
  AlternativeId best = costs.default_alternative(task);
  for (AlternativeId id = best; id.index < costs.first_alternative[task.at() + 1]; ++id.index) {
    if (costs[id].workspace < costs[best].workspace) best = id;
  }
  return best;
}

/// M_min(t): inputs, outputs and the least workspace of every task.
std::vector<Bytes> needed_by_tasks(const PlanningProblem& problem) {
  const TrainingGraph& graph = problem.graph;
  std::vector<Bytes> needed(graph.tasks.size());
  std::vector<std::int32_t> seen_by(graph.tensors.size(), -1);
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const TaskId task = make_id<TaskId>(i);
    needed[i] = problem.costs[base_way(problem.costs, task)].workspace;
    for (const auto tensors : {graph.reads[task], graph.writes[task]}) {
      for (const TensorId tensor : tensors) {
        if (seen_by[tensor.at()] == task.index) continue;
        seen_by[tensor.at()] = task.index;
        needed[i] += problem.costs.tensor_bytes[tensor.at()];
      }
    }
  }
  return needed;
}

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

/// What there is to plan with.
struct MemoryToUse {
  Bytes addresses;
  std::vector<Bytes> workspaces;  ///< by task: the largest allowed; empty: what finds room
};

/// Where everything fits as it is, one way is to move nothing, also not because of holes: there are
/// then addresses for every tensor, and what counts is the bytes in use.
std::optional<MemoryToUse> memory_without_moves(const PlanningProblem& problem) {
  const TrainingGraph& graph = problem.graph;
  const Bytes available = problem.budget - problem.costs.static_bytes;
  Footprint in_core(problem, graph.tasks.size());
  Bytes all;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const Lifetime& life = graph.lifetimes[i];
    if (!life.last_use) continue;
    in_core.add({make_id<TensorId>(i), first_task(life), life.last_use->at() + 1});
    all += problem.costs.tensor_bytes[i];
  }
  std::vector<Bytes> free = in_core.bytes();
  Bytes largest;
  for (std::size_t i = 0; i < free.size(); ++i) {
    free[i] = available - free[i];
    const AlternativeId base = base_way(problem.costs, make_id<TaskId>(i));
    if (problem.costs[base].workspace > free[i]) return std::nullopt;
    largest = std::max(largest, free[i]);
  }
  return MemoryToUse{.addresses = all + largest, .workspaces = std::move(free)};
}

struct TimedPlan {
  Plan plan;
  Duration time;  ///< on the machine's clock
};

class Algorithm1 {
 public:
  Algorithm1(const PlanningProblem& problem, const std::vector<Bytes>& needed, MemoryToUse memory,
             ModnnPolicy policy)
      : costs_(problem.costs),
        machine_(problem, needed, memory.addresses, policy),
        workspaces_(std::move(memory.workspaces)) {
    fastest_.reserve(needed.size() + 1);
    fastest_.emplace_back(0);
    for (std::size_t i = 0; i < needed.size(); ++i) {
      const AlternativeId way =
          costs_.alternative(make_id<TaskId>(i), AlgorithmChoice::kPerformance);
      fastest_.push_back(fastest_.back() + costs_[way].time);
    }
  }

  /// The least time that all tasks together could take.
  [[nodiscard]] Duration least() const { return fastest_.back(); }

  TimedPlan run() && {
    for (std::size_t i = 0; i + 1 < fastest_.size(); ++i) {
      task_ = make_id<TaskId>(i);
      const AlternativeId base = base_way(costs_, task_);
      machine_.begin(task_);
      machine_.prepare(costs_[base].workspace);
      const AlternativeId way = choose(base);
      prefetch(costs_[way].time);
      machine_.run(way);
    }
    const Duration time = machine_.now();
    return {std::move(machine_).finish(), time};
  }

 private:
  [[nodiscard]] Duration copy_in(TensorId tensor) const {
    return costs_.transfers.to_near[tensor.at()].alone;
  }

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
  [[nodiscard]] bool must_start_now(TaskId first, Duration time) const {
    const Duration after = std::max(machine_.queue_free(), machine_.now() + time);
    Missing missing;
    std::optional<TaskId> task = first;
    for (int i = 0; task && i < kLookAhead; ++i, task = machine_.next_missing(*task)) {
      add_missing(*task, missing);
      if (!machine_.allocatable(*task, missing.bytes)) return false;
      if (after + missing.copies > expected_start(*task, time)) return true;
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
        if (!room) continue;
        delay = std::max(Duration(0), room->ready - machine_.now());
      }
      const Duration gain = saved - delay - delayed_prefetch(way);
      if (gain <= best_gain) continue;
      best = AlternativeId{i};
      best_gain = gain;
      best_room = room;
    }
    if (best_room) machine_.take_workspace(*best_room, costs_[best].workspace);
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

  const CostTable& costs_;
  ModnnMachine machine_;
  std::vector<Bytes> workspaces_;
  std::vector<Duration> fastest_;  ///< by task, plus one: sum of the least times before it
  TaskId task_;
};

/// The paper's rules first: of equal plans the first is taken.
constexpr ModnnPolicy kPolicies[] = {{Prefer::kLeastDelay, Search::kNearby},
                                     {Prefer::kLeastDelay, Search::kDrop},
                                     {Prefer::kNeededLast, Search::kDrop}};

PlanResult make_plan(const PlanningProblem& problem) {
  const std::vector<Bytes> needed = needed_by_tasks(problem);
  if (auto oom = shortage(problem, needed)) return *std::move(oom);
  const Bytes available = problem.budget - problem.costs.static_bytes;
  std::optional<TimedPlan> best;
  // False when nothing can be better.
  const auto try_with = [&](MemoryToUse memory, ModnnPolicy policy) {
    Algorithm1 algorithm(problem, needed, std::move(memory), policy);
    const Duration least = algorithm.least();
    TimedPlan made = std::move(algorithm).run();
    if (!best || made.time < best->time) best = std::move(made);
    return best->time > least;
  };
  bool go_on = true;
  if (auto memory = memory_without_moves(problem)) go_on = try_with(*std::move(memory), {});
  for (const ModnnPolicy policy : kPolicies) {
    if (go_on) go_on = try_with({.addresses = available, .workspaces = {}}, policy);
  }
  return std::move(best->plan);
}

constexpr std::string_view kOptions[] = {"--no-backdating"};

}  // namespace

extern const Schedule modnn_schedule{
    .name = "modnn",
    .summary = "list scheduling: offload what costs least, fetch just in time, choose algorithms",
    .source = "Chen, Chen, Hu, moDNN (DATE 2018), section IV",
    .traits = {Trait::kPlansForLink, Trait::kChoosesAlgorithms, Trait::kSubBatches},
    .options = kOptions,
    .make_plan = make_plan,
};

}  // namespace ooc
