// From runs and stays to steps and blocks, in the order of sequence numbers that task_plan.cpp
// explains: a copy out right after the step that it waits for, a copy in right before its reader.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "model/base/errors.hpp"
#include "simulator/plan/plan_builder.hpp"
#include "simulator/schedules/run_list.hpp"

namespace ooc {
namespace {

/// Stays in the order of something that happens to them, taken out one position after the other.
class Agenda {
 public:
  void add(std::size_t position, std::size_t stay) { entries_.emplace_back(position, stay); }
  void sort() { std::sort(entries_.begin(), entries_.end()); }

  template <class Visit>
  void visit(std::size_t position, Visit visit_stay) {
    for (; next_ < entries_.size() && entries_[next_].first == position; ++next_) {
      visit_stay(entries_[next_].second);
    }
  }

 private:
  std::vector<std::pair<std::size_t, std::size_t>> entries_;
  std::size_t next_ = 0;
};

class RunPlanner {
 public:
  RunPlanner(const PlanningProblem& problem, const RunList& list,
             const std::vector<StayMove>& moves)
      : problem_(problem),
        list_(list),
        moves_(moves),
        builder_(problem.costs.static_bytes),
        block_(list.stays.size()),
        out_(list.stays.size()) {
    builder_.reserve(list.runs.size() + 2 * moves.size(),
                     list.stays.size() + moves.size() + list.runs.size());
    for (const StayMove& move : moves) {
      const TensorStay& stay = list.stays[move.stay];
      ends_.add(stay.gap_first - 1, move.stay);
      const auto& writer = life(stay).last_writer;
      if (writer) leaving_.add(writer->at(), move.stay);
    }
    for (std::size_t i = 0; i < list.stays.size(); ++i) ends_.add(list.stays[i].end - 1, i);
    ends_.sort();
    leaving_.sort();
    steps_.reserve(list.runs.size());
  }

  Plan run() && {
    for (; next_stay_ < list_.stays.size(); ++next_stay_) {
      if (life(list_.stays[next_stay_]).first_writer) break;
      builder_.initially_resident(new_block(next_stay_));
    }
    for (std::size_t i = 0; i < list_.runs.size(); ++i) add(i);
    OOC_CHECK(next_move_ == moves_.size(), "moves are in order of their next use");
    return std::move(builder_).finish();
  }

 private:
  [[nodiscard]] const Lifetime& life(const TensorStay& stay) const {
    return problem_.graph.lifetimes[stay.tensor.at()];
  }

  BlockId new_block(std::size_t stay) {
    const TensorId tensor = list_.stays[stay].tensor;
    block_[stay] = builder_.tensor_block(tensor, problem_.costs.tensor_bytes[tensor.at()]);
    return *block_[stay];
  }

  void add(std::size_t position) {
    const TaskRun& run = list_.runs[position];
    copies_.clear();
    while (next_move_ < moves_.size() && list_.stays[moves_[next_move_].stay].gap_end == position) {
      copies_.push_back(add_copy_in(moves_[next_move_++]));
    }
    const AlternativeId way = problem_.chosen(run.task);
    const StepId step =
        run.again ? builder_.recompute(run.task, way) : builder_.compute(run.task, way);
    steps_.push_back(step);
    for (const StepId copy : copies_) builder_.wait(step, copy);
    if (const Bytes workspace = chosen_workspace(problem_, run.task); workspace.count() > 0) {
      const BlockId block = builder_.workspace_block(run.task, workspace);
      builder_.acquire(step, block);
      builder_.release(block, step);
    }
    for (; next_stay_ < list_.stays.size() && list_.stays[next_stay_].first == position;
         ++next_stay_) {
      builder_.acquire(step, new_block(next_stay_));
    }
    leaving_.visit(position, [&](std::size_t stay) {
      const StepId copy = builder_.to_far(list_.stays[stay].tensor);
      builder_.wait(copy, step);
      builder_.release(*block_[stay], copy);
      out_[stay] = copy;
    });
    ends_.visit(position, [&](std::size_t stay) { builder_.release(*block_[stay], step); });
  }

  StepId add_copy_in(const StayMove& move) {
    const StepId copy = builder_.to_near(list_.stays[move.stay].tensor);
    if (out_[move.stay]) builder_.wait(copy, *out_[move.stay]);
    builder_.wait(copy, steps_[move.may_return_after]);
    builder_.acquire(copy, new_block(move.stay));
    return copy;
  }

  const PlanningProblem& problem_;
  const RunList& list_;
  const std::vector<StayMove>& moves_;
  PlanBuilder builder_;
  std::vector<std::optional<BlockId>> block_;  ///< by stay: its latest one
  std::vector<std::optional<StepId>> out_;     ///< by stay: its copy out
  std::vector<StepId> steps_;                  ///< by position
  std::vector<StepId> copies_;                 ///< in, for the run at hand
  Agenda ends_;     ///< releases: at the last use, of what moves also at the last use before
  Agenda leaving_;  ///< copies out
  std::size_t next_stay_ = 0;
  std::size_t next_move_ = 0;
};

}  // namespace

Plan build_run_plan(const PlanningProblem& problem, const RunList& list,
                    const std::vector<StayMove>& moves) {
  return RunPlanner(problem, list, moves).run();
}

}  // namespace ooc
