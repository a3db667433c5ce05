// Why nothing deadlocks: when task u is reached, the pager books all that u touches beside all that is near, after it
// has made room for it. The copies out for that wait for the task before u and for nothing else, so they end; then all
// that is booked for tasks up to u fits at once, and copies in for later tasks are not yet due. What is fetched ahead
// is booked with the task beside which it is fetched, and waits for the copies out that make its room, so that it takes
// none from that task. Where it is evicted unused, the task that gets its room waits until it has come: else that task
// could take the room first, and the copy, at the head of its queue, would wait for good.
#include "simulator/schedules/paging.hpp"

#include <utility>
#include <vector>

#include "model/base/errors.hpp"
#include "simulator/plan/plan_builder.hpp"
#include "simulator/plan/tensor_ring.hpp"
#include "simulator/schedules/move_candidates.hpp"

namespace ooc {
namespace {

enum class Cause { kFault, kPrefetch };

/// A page while the plan is made.
struct Page {
  std::optional<BlockId> block;      ///< near, in this block
  bool far_is_current = false;       ///< the far copy holds what the near one does
  std::optional<StepId> copied_out;  ///< latest
  std::optional<StepId> fetched;     ///< ahead, and not yet used
  std::optional<TaskId> pinned_for;  ///< must not leave while that task is planned
};

class Pager {
 public:
  Pager(const PlanningProblem& problem, Prefetch prefetch)
      : problem_(problem),
        graph_(problem.graph),
        prefetch_(prefetch),
        available_(problem.budget - problem.costs.static_bytes),
        builder_(problem.costs.static_bytes),
        pages_(graph_.tensors.size()) {
    arrivals_.clear(graph_.tensors.size());
    oldest_ = arrivals_.end();
    const std::size_t size = graph_.tasks.size() + graph_.tensors.size();
    builder_.reserve(size, size);
  }

  Plan run() && {
    place_inputs();
    for (std::size_t i = 0; i < graph_.tasks.size(); ++i) run_task(make_id<TaskId>(i));
    return std::move(builder_).finish();
  }

 private:
  [[nodiscard]] Bytes bytes(TensorId tensor) const {
    return problem_.costs.tensor_bytes[tensor.at()];
  }
  [[nodiscard]] const Lifetime& life(TensorId tensor) const {
    return graph_.lifetimes[tensor.at()];
  }
  [[nodiscard]] bool exists_before(TensorId tensor, TaskId task) const {
    const auto& writer = life(tensor).first_writer;
    return !writer || *writer < task;
  }
  Page& page(TensorId tensor) { return pages_[tensor.at()]; }

  /// each(tensor); twice for what is read and written.
  template <class Each>
  void for_each_touched(TaskId task, Each each) const {
    for (const TensorId tensor : graph_.reads[task]) each(tensor);
    for (const TensorId tensor : graph_.writes[task]) each(tensor);
  }

  BlockId take(TensorId tensor) {
    page(tensor).block = builder_.tensor_block(tensor, bytes(tensor));
    used_ += bytes(tensor);
    arrivals_.append(tensor);
    if (oldest_ == arrivals_.end()) oldest_ = tensor;
    return *page(tensor).block;
  }
  void give_up(TensorId tensor) {
    if (oldest_ == tensor) oldest_ = arrivals_.next(tensor);
    arrivals_.remove(tensor);
    page(tensor).block.reset();
    used_ -= bytes(tensor);
  }

  /// Network inputs are near from the start, what is used first before the rest, as far as they fit
  /// beside what the first task writes.
  void place_inputs() {
    std::vector<TensorId> inputs;
    std::vector<bool> seen(graph_.tensors.size(), false);
    for_each_touch(graph_, [&](TaskId, TensorId tensor) {
      if (!life(tensor).first_writer && !seen[tensor.at()]) inputs.push_back(tensor);
      seen[tensor.at()] = true;
    });
    const Bytes beside = graph_.tasks.empty() ? Bytes(0) : new_bytes(TaskId{0});
    for (const TensorId tensor : inputs) {
      page(tensor).far_is_current = true;
      if (used_ + beside + bytes(tensor) > available_) continue;
      builder_.initially_resident(take(tensor));
    }
  }

  /// Of the workspace and of what the task is the first to write.
  [[nodiscard]] Bytes new_bytes(TaskId task) const {
    Bytes sum = chosen_workspace(problem_, task);
    for (const TensorId tensor : graph_.writes[task]) {
      if (life(tensor).first_writer == task) sum += bytes(tensor);
    }
    return sum;
  }

  void run_task(TaskId task) {
    task_ = task;
    oldest_ = arrivals_.first();
    std::vector<TensorId> missing;
    Bytes wanted = new_bytes(task);
    for_each_touched(task, [&](TensorId tensor) {
      if (std::exchange(page(tensor).pinned_for, task) == task) return;
      if (!page(tensor).block && exists_before(tensor, task)) {
        missing.push_back(tensor);
        wanted += bytes(tensor);
      }
    });
    const bool fits = make_room(wanted, Cause::kFault);
    OOC_CHECK(fits, "what one task touches fits");
    std::vector<StepId> awaited;
    for (const TensorId tensor : missing) awaited.push_back(fetch(tensor, Cause::kFault));
    std::vector<BlockId> written;
    for (const TensorId tensor : graph_.writes[task]) {
      if (life(tensor).first_writer == task) written.push_back(take(tensor));
    }
    const Bytes workspace = chosen_workspace(problem_, task);
    used_ += workspace;
    if (prefetch_ != Prefetch::kNone) fetch_ahead();
    const std::optional<StepId> earlier = before_;
    add_compute(awaited, written);
    used_ -= workspace;
    if (prefetch_ == Prefetch::kBothWays && earlier) make_room_ahead(*earlier);
  }

  void add_compute(const std::vector<StepId>& awaited, const std::vector<BlockId>& written) {
    const StepId step = builder_.compute(task_, problem_.chosen(task_));
    for (const StepId copy : awaited) builder_.wait(step, copy);
    for (const StepId copy : unused_) builder_.wait(step, copy);
    unused_.clear();
    for (const BlockId block : written) builder_.acquire(step, block);
    builder_.take_workspace(step, task_, chosen_workspace(problem_, task_));
    for (const TensorId tensor : graph_.writes[task_]) page(tensor).far_is_current = false;
    for_each_touched(task_, [&](TensorId tensor) {
      Page& it = page(tensor);
      if (!it.block) return;  // read and written, and dead by now
      if (it.fetched) builder_.wait(step, *std::exchange(it.fetched, std::nullopt));
      if (life(tensor).last_use != task_) return;
      builder_.release(*it.block, step);
      give_up(tensor);
    });
    before_ = step;
  }

  /// False if it does not fit beside what is pinned; then all else has left. What is pinned stays so until the next
  /// task, so that it is passed over once a task.
  bool make_room(Bytes wanted, Cause cause) {
    while (used_ + wanted > available_) {
      while (oldest_ != arrivals_.end() && page(oldest_).pinned_for == task_) {
        oldest_ = arrivals_.next(oldest_);
      }
      if (oldest_ == arrivals_.end()) return false;
      evict(oldest_, cause);
    }
    return true;
  }

  /// After the task before this one: only now is it known that the page has to go.
  void evict(TensorId tensor, Cause cause) {
    Page& it = page(tensor);
    OOC_CHECK(before_.has_value(), "the first task finds what it needs");
    if (it.far_is_current) {
      // What was fetched ahead for nothing goes as soon as it has come.
      builder_.release(*it.block, it.fetched ? *it.fetched : *before_);
      if (it.fetched) unused_.push_back(*std::exchange(it.fetched, std::nullopt));
    } else {
      const StepId copy = builder_.to_far(tensor);
      if (cause == Cause::kFault) builder_.on_demand(copy);
      builder_.wait(copy, *before_);
      builder_.release(*it.block, copy);
      it.far_is_current = true;
      it.copied_out = copy;
      last_out_ = copy;
    }
    give_up(tensor);
  }

  StepId fetch(TensorId tensor, Cause cause) {
    const StepId copy = builder_.to_near(tensor);
    if (cause == Cause::kFault) builder_.on_demand(copy);
    if (before_) builder_.wait(copy, *before_);
    if (page(tensor).copied_out) builder_.wait(copy, *page(tensor).copied_out);
    if (cause == Cause::kPrefetch && last_out_) builder_.wait(copy, *last_out_);
    builder_.acquire(copy, take(tensor));
    return copy;
  }

  [[nodiscard]] LayerId layer_at(std::size_t position) const {
    return graph_.tasks[position].layer;
  }
  /// The first position of the backward pass behind `position` that is another layer's.
  [[nodiscard]] std::size_t next_layer(std::size_t position) const {
    std::size_t next = position;
    while (next < graph_.backward_end && layer_at(next) == layer_at(position)) ++next;
    return next;
  }

  /// Where the backward pass reaches a layer: what the next one reads, until room is short.
  void fetch_ahead() {
    const std::size_t here = task_.at();
    if (here < graph_.forward_tasks || here >= graph_.backward_end) return;
    if (here > graph_.forward_tasks && layer_at(here - 1) == layer_at(here)) return;
    const std::size_t first = next_layer(here);
    if (first == graph_.backward_end) return;
    const std::size_t end = next_layer(first);
    // Before anything leaves: else what one task of these layers reads makes room for what another one does, and comes
    // back by faults.
    for (std::size_t i = here; i < end; ++i) pin(graph_.reads[make_id<TaskId>(i)]);
    for (std::size_t i = first; i < end; ++i) {
      for (const TensorId tensor : graph_.reads[make_id<TaskId>(i)]) {
        if (page(tensor).block || !exists_before(tensor, task_)) continue;
        if (!make_room(bytes(tensor), Cause::kPrefetch)) return;
        page(tensor).fetched = fetch(tensor, Cause::kPrefetch);
      }
    }
  }

  template <class Tensors>
  void pin(const Tensors& tensors) {
    for (const TensorId tensor : tensors) page(tensor).pinned_for = task_;
  }

  /// When this task will have ended and what dies with it is gone, the next one finds room: what is in its way leaves
  /// beside this one, behind the one before it.
  void make_room_ahead(StepId earlier) {
    const TaskId next = make_id<TaskId>(task_.at() + 1);
    if (next.at() == graph_.tasks.size()) return;
    for (std::size_t i = next.at(), end = next_layer(next_layer(task_.at())); i < end; ++i) {
      pin(graph_.reads[make_id<TaskId>(i)]);
    }
    pin(graph_.reads[next]);
    pin(graph_.writes[next]);
    Bytes wanted = new_bytes(next);
    for (const TensorId tensor : graph_.reads[next]) {
      if (!page(tensor).block && exists_before(tensor, task_)) wanted += bytes(tensor);
    }
    const auto now = std::exchange(before_, earlier);
    make_room(wanted, Cause::kPrefetch);
    before_ = now;
  }

  const PlanningProblem& problem_;
  const TrainingGraph& graph_;
  Prefetch prefetch_;
  Bytes available_;
  PlanBuilder builder_;
  std::vector<Page> pages_;  ///< by tensor
  TensorRing arrivals_;      ///< near, in order of arrival
  TensorId oldest_;          ///< all that arrived before it is pinned for the task at hand
  Bytes used_;
  TaskId task_;                     ///< at hand
  std::optional<StepId> before_;    ///< the task before it
  std::optional<StepId> last_out_;  ///< last copy out
  std::vector<StepId> unused_;      ///< copies in whose room the task at hand got
};

/// If one task touches more than the budget: none of its pages may be evicted while it runs, all others may.
std::optional<OutOfMemory> paging_shortage(const PlanningProblem& problem) {
  const TrainingGraph& graph = problem.graph;
  Footprint footprint(problem, graph.tasks.size());
  footprint.add_workspaces();
  for_each_touch(graph, [&](TaskId task, TensorId tensor) {
    footprint.add({tensor, task.at(), task.at() + 1});
  });
  return task_shortage(problem, footprint);
}

}  // namespace

PlanResult plan_paging(const PlanningProblem& problem, Prefetch prefetch) {
  if (auto shortage = paging_shortage(problem)) return *std::move(shortage);
  return Pager(problem, prefetch).run();
}

}  // namespace ooc
