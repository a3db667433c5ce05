// Sequence numbers break the engine's ties: compute order, a copy out right after the step it waits
// for, a copy in right before the first step that reads it. So every wait points back in sequence.
#include "simulator/schedules/task_plan.hpp"

#include <algorithm>
#include <utility>

#include "model/base/errors.hpp"
#include "simulator/plan/plan_builder.hpp"
#include "simulator/schedules/footprint.hpp"

namespace ooc {
namespace {

class TaskPlanner {
 public:
  TaskPlanner(const PlanningProblem& problem, const std::vector<Move>& moves,
              std::optional<TaskId> turn)
      : problem_(problem),
        graph_(problem.graph),
        moves_(moves),
        turn_(turn),
        builder_(problem.costs.static_bytes),
        move_of_(graph_.tensors.size()),
        block_(graph_.tensors.size()),
        out_(graph_.tensors.size()),
        reader_(graph_.tensors.size()) {
    builder_.reserve(graph_.tasks.size() + 2 * moves.size(),
                     graph_.tensors.size() + moves.size() + graph_.tasks.size());
    for (std::size_t i = 0; i < moves.size(); ++i) {
      move_of_[moves[i].tensor.at()] = i;
      const auto& writer = life(moves[i].tensor).last_writer;
      if (moves[i].leaves_after && writer) late_.push_back(moves[i].tensor);
    }
    std::ranges::sort(late_, {}, [&](TensorId each) { return std::pair(leaving(each), each); });
    computes_.reserve(graph_.tasks.size());
  }

  Plan run() && {
    add_inputs();
    for (std::size_t i = 0; i < graph_.tasks.size(); ++i) add_task(make_id<TaskId>(i));
    OOC_CHECK(next_move_ == moves_.size(), "moves are in order of their first backward use");
    return std::move(builder_).finish();
  }

 private:
  [[nodiscard]] const Lifetime& life(TensorId tensor) const {
    return graph_.lifetimes[tensor.at()];
  }

  BlockId new_block(TensorId tensor) {
    const BlockId block = builder_.tensor_block(tensor, problem_.costs.tensor_bytes[tensor.at()]);
    block_[tensor.at()] = block;
    return block;
  }

  void add_inputs() {
    for (TensorId tensor; tensor.at() < graph_.tensors.size(); ++tensor.index) {
      if (life(tensor).first_writer || !life(tensor).last_use) continue;
      builder_.initially_resident(new_block(tensor));
    }
  }

  void add_task(TaskId task) {
    const std::size_t first_copy = next_move_;
    while (next_move_ < moves_.size() && first_reader(next_move_) == task) add_copy_in();
    const AlternativeId way = problem_.chosen(task);
    const StepId step = is_overhead(graph_.tasks[task.at()].kind) ? builder_.recompute(task, way)
                                                                  : builder_.compute(task, way);
    computes_.push_back(step);
    for (std::size_t i = first_copy; i < next_move_; ++i) {
      builder_.wait(step, in_steps_[i]);
    }
    builder_.take_workspace(step, task, chosen_workspace(problem_, task));
    for (const TensorId tensor : graph_.writes[task]) {
      if (life(tensor).first_writer == task) builder_.acquire(step, new_block(tensor));
    }
    if (task == turn_ && last_out_) builder_.wait(step, *last_out_);
    for (; next_late_ < late_.size() && leaving(late_[next_late_]) == task; ++next_late_) {
      add_copy_out(late_[next_late_], step);
    }
    for (const TensorId tensor : graph_.writes[task]) finish_use(tensor, task, step);
    for (const TensorId tensor : graph_.reads[task]) {
      if (!contains(graph_.writes[task], tensor)) finish_use(tensor, task, step);
    }
  }

  /// The task that a late copy out waits for.
  [[nodiscard]] TaskId leaving(TensorId tensor) const {
    return std::max(*moves_[*move_of_[tensor.at()]].leaves_after, *life(tensor).last_writer);
  }

  void add_copy_out(TensorId tensor, StepId after) {
    const StepId copy = builder_.to_far(tensor);
    builder_.wait(copy, after);
    builder_.release(*block_[tensor.at()], copy);
    out_[tensor.at()] = copy;
    last_out_ = copy;
  }

  [[nodiscard]] TaskId first_reader(std::size_t move) const {
    return moves_[move].reader.value_or(*life(moves_[move].tensor).first_backward_use);
  }

  void add_copy_in() {
    const Move& move = moves_[next_move_++];
    const StepId step = builder_.to_near(move.tensor);
    if (out_[move.tensor.at()]) builder_.wait(step, *out_[move.tensor.at()]);
    builder_.wait(step, computes_[move.may_return_after.at()]);
    builder_.acquire(step, new_block(move.tensor));
    reader_[move.tensor.at()] = move.reader;
    in_steps_.push_back(step);
  }

  /// After `task` has used the tensor: its copy out, and the end of its block.
  void finish_use(TensorId tensor, TaskId task, StepId step) {
    const Lifetime& lived = life(tensor);
    const BlockId block = *block_[tensor.at()];
    if (move_of_[tensor.at()]) {
      const bool late = moves_[*move_of_[tensor.at()]].leaves_after.has_value();
      if (lived.last_writer == task && !late) add_copy_out(tensor, step);
      if (lived.last_forward_use == task) builder_.release(block, step);
    }
    if (reader_[tensor.at()].value_or(*lived.last_use) == task) builder_.release(block, step);
  }

  static bool contains(std::span<const TensorId> tensors, TensorId tensor) {
    for (const TensorId each : tensors) {
      if (each == tensor) return true;
    }
    return false;
  }

  const PlanningProblem& problem_;
  const TrainingGraph& graph_;
  const std::vector<Move>& moves_;
  std::optional<TaskId> turn_;
  std::vector<TensorId> late_;  ///< with leaves_after, in the order in which they leave
  std::size_t next_late_ = 0;
  std::optional<StepId> last_out_;
  PlanBuilder builder_;
  std::vector<std::optional<std::size_t>> move_of_;  ///< by tensor
  std::vector<std::optional<BlockId>> block_;        ///< by tensor: its latest one
  std::vector<std::optional<StepId>> out_;           ///< by tensor: its copy out
  std::vector<std::optional<TaskId>> reader_;        ///< by tensor: of its latest return
  std::vector<StepId> computes_;                     ///< by task
  std::vector<StepId> in_steps_;                     ///< by move
  std::size_t next_move_ = 0;
};

}  // namespace

Plan build_task_plan(const PlanningProblem& problem, const std::vector<Move>& moves,
                     std::optional<TaskId> turn) {
  return TaskPlanner(problem, moves, turn).run();
}

}  // namespace ooc
