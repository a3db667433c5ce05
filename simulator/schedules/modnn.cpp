// modnn: moDNN's static list scheduling. The tasks are gone through once, in order, on a simulated clock; for each one
// the memory it needs is made free, its convolution algorithm is chosen by what it gains, and what later tasks need is
// fetched as late as does not delay them. There is one compute queue and one transfer queue for both directions;
// outputs and gradients may leave, weights stay; a tensor is copied out at most once as long as nobody changes it, and
// just dropped after that. Each task needs no more than its own inputs and outputs, so the smallest budget is the
// theoretical one: weights + the largest task (eq. 2).
//
// For each task t, at time T (Algorithm 1):
//   1. its outputs and missing inputs get addresses: a hole, else an offloading scheme (contiguous
//      segments whose blocks leave; of all those the one of least delay), else everything leaves and what t
//      needs comes back (defragmentation); then the inputs are loaded;
//   2. the algorithm of greatest gain T_base - T_alg - T_off - T_pre (eq. 5): T_off is the delay of
//      making room for its workspace, T_pre the copies for the next task with missing inputs that
//      would find no room beside it;
//   3. for the tasks s behind it that lack inputs: stop if some task up to s could then not be
//      allocated, or if starting after t is early enough, T + T_alg(t) + copies <= EST(s) (eq. 4); else
//      fetch them now.
//
// One plan is made, for the memory and the link at hand; nothing is tried.
//
// Example, the paper's Fig. 3: four layers a b c d that save their outputs of 1 GB, forward 100, 200, 10 and 100 ms,
// in 3.1 GB; a copy takes 100 ms. d's output finds no room, so a's output leaves. Its copy begins when a has ended and
// hides behind b, who reads it (3b): d waits for nothing. Were b as short as c, d would wait for the copy (3a).
//
// When it does not help: where compute is shorter than the copies it cannot hide them, only choose
// which; where memory is so scarce that most tasks defragment, every task waits for its own inputs. A greedy
// schedule is thrown off by little: more memory or a faster link can make it slower (VGG-16 on a V100: up to 10 times where eq. 3
// then gives fewer rounds, 1.9 times with the same; docs/validation.md), and it may move blocks where everything would
// fit, because of holes or for a workspace.
//
// Source: Chen, Chen, Hu, "moDNN: Memory Optimal DNN Training on GPUs" (DATE 2018), Algorithm 1, section IV. The
// sub-batch size (eq. 3) is chosen in sub_batch.cpp, for any schedule. Where the paper is silent or this deviates: a
// block that forward makes for backward alone counts as used when made; room for a prefetch leaves alone what tasks
// before its own need; "can be allocated" is predicted from what every task needs by itself and what is already fetched
// for later ones; EST(s) takes the fastest algorithm of the tasks before s; a tensor that a task changes after its copy
// out is copied again; everything leaves for the workspace of eq. 5, too, where no scheme is found; which of equal
// schemes is taken, and how many are looked at, stands in modnn_room.cpp.
#include <algorithm>
#include <utility>

#include "simulator/schedules/modnn_machine.hpp"

namespace ooc {
namespace {

/// None when every task fits by itself.
std::optional<OutOfMemory> shortage(const PlanningProblem& problem,
                                    const std::vector<Bytes>& needed) {
  const Bytes fixed = problem.costs.static_bytes;
  const Bytes available = problem.budget - fixed;
  const auto fits = [&](Bytes bytes) { return bytes <= available; };
  const auto first = std::ranges::find_if_not(needed, fits);
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
  oom.smallest_budget = fixed + *std::ranges::max_element(needed);
  return oom;
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
  explicit Algorithm1(const ModnnJob& job)
      : job_(job),
        costs_(job.problem.costs),
        machine_(job),
        fastest_(fastest_times(costs_, job.needed.size())) {}

  Plan run() && {
    for (std::size_t i = 0; i < job_.needed.size(); ++i) {
      task_ = make_id<TaskId>(i);
      const AlternativeId base = least_workspace_algorithm(costs_, task_);
      machine_.begin(task_);
      machine_.prepare(costs_[base].workspace);
      const AlternativeId way = choose(base);
      prefetch(costs_[way].time);
      machine_.run(way);
    }
    return std::move(machine_).finish();
  }

 private:
  /// When `task` is expected to start if the task at hand takes `time`.
  [[nodiscard]] Duration expected_start(TaskId task, Duration time) const {
    return machine_.now() + time + fastest_[task.at()] - fastest_[task_.at() + 1];
  }

  /// Eq. 4: copies for `task`, the next one that lacks something, would come too late if they began after the task at
  /// hand, as if nothing else were in the queue; and no task up to it would lack room for them.
  [[nodiscard]] bool must_start_now(TaskId task, Duration time) const {
    Duration copies;
    Bytes bytes;
    for (const TensorId tensor : machine_.touched(task)) {
      if (!machine_.is_far(tensor)) continue;
      copies += copy_in(tensor);
      bytes += costs_.tensor_bytes[tensor.at()];
    }
    return machine_.now() + time + copies > expected_start(task, time) &&
           machine_.allocatable(task, bytes);
  }

  /// T_pre of eq. 5: copies for the next task with missing inputs that find room now, but not
  /// beside the workspace, and cannot wait.
  [[nodiscard]] Duration delayed_prefetch(const TaskAlternative& way) const {
    const auto next = machine_.next_missing(task_);
    if (!next || !must_start_now(*next, way.time)) return Duration(0);
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
    const Bytes least = costs_[base].workspace;
    const Bytes most = machine_.addresses() - job_.needed[task_.at()] + least;
    AlternativeId best = base;
    Duration best_gain;
    std::optional<Room> best_room;
    for (std::int32_t i = costs_.first_alternative[task_.at() + 1];
         i-- > costs_.first_alternative[task_.at()];) {
      const TaskAlternative& way = costs_[AlternativeId{i}];
      const Duration saved = costs_[base].time - way.time;
      if (saved <= best_gain) continue;
      Duration delay;
      std::optional<Room> room;
      if (way.workspace > least) {
        room = machine_.find_room(way.workspace, task_, Search::kNearby);
        // Everything leaves, but nothing can before the first task has run.
        if (!room && (way.workspace > most || task_.at() == 0)) continue;
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
    } else if (workspace > least) {
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

  [[nodiscard]] Duration copy_in(TensorId tensor) const {
    return costs_.transfers.to_near[tensor.at()].alone;
  }

  const ModnnJob& job_;
  const CostTable& costs_;
  ModnnMachine machine_;
  std::vector<Duration> fastest_;
  TaskId task_;
};

PlanResult plan_modnn(const PlanningProblem& problem) {
  const ModnnJob job(problem);
  if (auto oom = shortage(problem, job.needed)) return *std::move(oom);
  return Algorithm1(job).run();
}

}  // namespace

extern const Schedule modnn_schedule{
    .name = "modnn",
    .summary = "list scheduling: offload what costs least, fetch just in time, choose algorithms",
    .source = "Chen, Chen, Hu, moDNN (DATE 2018), section IV",
    .traits = {Trait::kPlansForLink, Trait::kChoosesAlgorithms, Trait::kSubBatches},
    .make_plan = plan_modnn,
};

}  // namespace ooc
