// What a task at hand does to the machine: its inputs and outputs get places, it runs, blocks come and
// go, and the plan grows by a step for each of it. Where a place is found stands in modnn_room.cpp.
#include "simulator/schedules/modnn_machine.hpp"

#include "model/base/errors.hpp"

namespace ooc {
namespace {

Csr<TaskId, TensorId> touched_by_tasks(const PlanningProblem& problem) {
  const TrainingGraph& graph = problem.graph;
  std::vector<std::pair<TaskId, TensorId>> pairs;
  pairs.reserve(graph.reads.item_count() + graph.writes.item_count());
  for_each_touch(graph, [&](TaskId task, TensorId tensor) {
    if (problem.costs.tensor_bytes[tensor.at()].count() > 0) pairs.emplace_back(task, tensor);
  });
  return Csr<TaskId, TensorId>(graph.tasks.size(), pairs);
}

std::vector<Bytes> needed_by_tasks(const PlanningProblem& problem,
                                   const Csr<TaskId, TensorId>& touched) {
  std::vector<Bytes> needed(problem.graph.tasks.size());
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const TaskId task = make_id<TaskId>(i);
    needed[i] = problem.costs[least_workspace_algorithm(problem.costs, task)].workspace;
    for (const TensorId tensor : touched[task])
      needed[i] += problem.costs.tensor_bytes[tensor.at()];
  }
  return needed;
}

}  // namespace

AlternativeId least_workspace_algorithm(const CostTable& costs, TaskId task) {
  AlternativeId best = costs.default_alternative(task);
  for (AlternativeId id = best; id.index < costs.first_alternative[task.at() + 1]; ++id.index) {
    if (costs[id].workspace < costs[best].workspace) best = id;
  }
  return best;
}

ModnnJob::ModnnJob(const PlanningProblem& job)
    : problem(job),
      touched(touched_by_tasks(problem)),
      uses(touched.transposed(problem.graph.tensors.size())),
      needed(needed_by_tasks(problem, touched)) {}

ModnnMachine::ModnnMachine(const ModnnJob& job)
    : job_(job),
      problem_(job.problem),
      available_(problem_.budget - problem_.costs.static_bytes),
      space_(available_),
      builder_(problem_.costs.static_bytes),
      ledger_(job.needed),
      missing_(problem_.graph.tasks.size()),
      states_(problem_.graph.tensors.size()) {
  computes_.reserve(problem_.graph.tasks.size());
  builder_.reserve(problem_.graph.tasks.size() * 2, problem_.graph.tensors.size() * 2);
  place_inputs();
}

/// Network inputs are clean in far memory. Those that fit beside the first task are near from the
/// start, in the order in which they are needed; the others are fetched.
void ModnnMachine::place_inputs() {
  const auto& lifetimes = problem_.graph.lifetimes;
  std::vector<TensorId> inputs;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (lifetimes[i].first_writer || !lifetimes[i].last_use) continue;
    if (bytes(make_id<TensorId>(i)).count() > 0) inputs.push_back(make_id<TensorId>(i));
  }
  std::ranges::stable_sort(inputs, {}, [&](TensorId each) { return job_.uses[each].front(); });
  Bytes taken = job_.needed.empty() ? Bytes(0) : job_.needed.front();
  for (const TensorId tensor : inputs) {
    State& it = state(tensor);
    it.clean = true;
    const bool of_first_task = job_.uses[tensor].front().index == 0;
    if (!of_first_task && taken + bytes(tensor) > available_) {
      it.where = Where::kFar;
      missing_.add(job_.uses[tensor].front());
      continue;
    }
    if (!of_first_task) taken += bytes(tensor);
    place(tensor, {.first = *space_.find_hole(bytes(tensor))});
    it.where = Where::kNear;
    it.fresh = true;
    it.block = builder_.tensor_block(tensor, bytes(tensor));
    builder_.initially_resident(it.block);
  }
}

void ModnnMachine::begin(TaskId task) {
  task_ = task;
  need_ = {};
  workspaces_.clear();
  workspace_ = {};
}

void ModnnMachine::prepare(Bytes workspace) {
  if (place_all(workspace)) return load_inputs();
  defragment_for(workspace);
}

void ModnnMachine::load_inputs() {
  for (const TensorId tensor : touched(task_)) {
    State& it = state(tensor);
    if (it.where == Where::kPlaced && !is_created_here(tensor)) load(tensor);
    need_.join(it.where == Where::kNear ? it.used : space_[it.segment].free_since);
  }
}

/// Room for all that is not near yet; false when some of it finds none.
bool ModnnMachine::place_all(Bytes workspace) {
  for (const TensorId tensor : touched(task_)) {
    if (state(tensor).where == Where::kNear) continue;
    const auto room = find_room(bytes(tensor), task_, Search::kEverywhere);
    if (!room) return false;
    if (is_far(tensor)) missing_.remove(task_);
    place(tensor, *room);
  }
  if (workspace.count() == 0) return true;
  const auto room = find_room(workspace, task_, Search::kEverywhere);
  if (room) take_workspace(*room, workspace);
  return room.has_value();
}

/// What place_all() has placed before it failed.
void ModnnMachine::take_back() {
  for (const TensorId tensor : touched(task_)) {
    State& it = state(tensor);
    if (it.where != Where::kPlaced) continue;
    space_.free(it.segment, space_[it.segment].free_since);
    it.where = is_created_here(tensor) ? Where::kNowhere : Where::kFar;
    if (it.where == Where::kFar) missing_.add(task_);
  }
}

void ModnnMachine::defragment_for(Bytes workspace) {
  for (const SegmentId segment : workspaces_) space_.free(segment, space_[segment].free_since);
  workspaces_.clear();
  take_back();
  std::vector<TensorId> all;
  for (std::optional<SegmentId> id = space_.first(); id; id = space_.next(*id)) {
    if (space_[*id].holds == Segment::Holds::kTensor) all.push_back(space_[*id].tensor);
  }
  for (const TensorId tensor : all) offload(tensor);
  OOC_CHECK(place_all(workspace), "a task that fits by itself fits into empty memory");
  load_inputs();
}

void ModnnMachine::take_workspace(const Room& room, Bytes bytes) {
  const SegmentId segment = space_.take(make_room(room), bytes, Segment::Holds::kWorkspace, {});
  need_.join(space_[segment].free_since);
  workspaces_.push_back(segment);
  workspace_ = bytes;
}

void ModnnMachine::run(AlternativeId alternative) {
  const StepId step = builder_.compute(task_, alternative);
  compute_end_ = now() + problem_.costs[alternative].time;
  if (need_.copies > 0) builder_.wait(step, copies_[static_cast<std::size_t>(need_.copies) - 1]);
  computes_.push_back(step);
  const Since done{.computes = task_.index + 1, .copies = 0, .at = compute_end_};
  builder_.take_workspace(step, task_, workspace_);
  for (const SegmentId segment : workspaces_) space_.free(segment, done);
  for (const TensorId tensor : touched(task_)) {
    State& it = state(tensor);
    if (it.where == Where::kPlaced) {
      it.where = Where::kNear;
      it.block = builder_.tensor_block(tensor, bytes(tensor));
      builder_.acquire(step, it.block);
    }
    it.used = done;
    it.arrival.reset();
    it.booked_to.reset();
    finish_use(tensor, step);
  }
  for (const TensorId tensor : problem_.graph.writes[task_]) {
    state(tensor).clean = false;
    state(tensor).written = done;
  }
}

void ModnnMachine::finish_use(TensorId tensor, StepId step) {
  State& it = state(tensor);
  ++it.uses;
  if (it.uses == job_.uses[tensor].size()) {
    builder_.release(it.block, step);
    space_.free(it.segment, it.used);
    it.where = Where::kNowhere;
    return;
  }
  // What forward makes for the backward pass alone is not about to be used.
  const std::size_t turn = problem_.graph.forward_tasks;
  const bool same_pass = (task_.at() < turn) == (next_use(tensor).at() < turn);
  it.fresh = it.uses == 1 && is_created_here(tensor) && same_pass;
}

/// A copy out begins when the tensor's last writer has ended, also while others still read it; near memory is free
/// when copy and readers have ended.
void ModnnMachine::offload(TensorId tensor) {
  State& it = state(tensor);
  Since free = it.used;
  // A network input may never have been used: it leaves with the task before.
  if (free.computes == 0 && !it.arrival) free = {task_.index, 0, compute_end_};
  if (!it.clean) {
    const StepId step = builder_.to_far(tensor);
    add_copy(step, it.written, problem_.costs.transfers.to_far[tensor.at()].alone);
    builder_.release(it.block, step);
    it.clean = true;
    free.join({0, static_cast<std::int32_t>(copies_.size()), queue_free_});
  }
  if (it.arrival) builder_.release(it.block, *it.arrival);  // brought in vain
  if (free.computes > 0) {
    builder_.release(it.block, computes_[static_cast<std::size_t>(free.computes) - 1]);
  }
  last_hole_ = space_.free(it.segment, free);
  if (it.booked_to) ledger_.book(task_.at() + 1, it.booked_to->at(), Bytes(0) - bytes(tensor));
  it.booked_to.reset();
  it.arrival.reset();
  it.fresh = false;
  it.where = Where::kFar;
  missing_.add(next_use(tensor));
}

void ModnnMachine::load(TensorId tensor) {
  State& it = state(tensor);
  const StepId step = builder_.to_near(tensor);
  Since after = space_[it.segment].free_since;
  after.join({task_.index, 0, compute_end_});
  add_copy(step, after, problem_.costs.transfers.to_near[tensor.at()].alone);
  it.block = builder_.tensor_block(tensor, bytes(tensor));
  builder_.acquire(step, it.block);
  it.where = Where::kNear;
  it.fresh = true;
  it.arrival = step;
  it.used = {0, static_cast<std::int32_t>(copies_.size()), queue_free_};
}

/// One transfer queue: behind the copy before it, whichever way that one went.
void ModnnMachine::add_copy(StepId step, const Since& after, Duration time) {
  if (after.computes > 0) {
    builder_.wait(step, computes_[static_cast<std::size_t>(after.computes) - 1]);
  }
  if (!copies_.empty()) builder_.wait(step, copies_.back());
  queue_free_ = std::max(queue_free_, after.at) + time;
  copies_.push_back(step);
}

bool ModnnMachine::allocatable(TaskId task, Bytes bytes) const {
  const std::size_t next = task_.at() + 1;
  if (ledger_.at(task.at()) > available_) return false;
  return next >= task.at() || ledger_.max(next, task.at()) + bytes <= available_;
}

bool ModnnMachine::prefetch(TensorId tensor, TaskId task) {
  const auto room = find_room(bytes(tensor), task, Search::kNearby);
  if (!room) return false;
  missing_.remove(task);
  place(tensor, *room);
  load(tensor);
  state(tensor).booked_to = task;
  ledger_.book(task_.at() + 1, task.at(), bytes(tensor));
  return true;
}

}  // namespace ooc
