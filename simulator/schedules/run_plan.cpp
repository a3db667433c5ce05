// From runs and stays to steps and blocks, in the order of sequence numbers that task_plan.cpp
// explains: a copy out right after the step that it waits for, a copy in right before its reader.
#include <algorithm>
#include <utility>

#include "model/base/errors.hpp"
#include "simulator/schedules/run_planner.hpp"

namespace ooc {

void RunPlanner::Agenda::clear(std::size_t positions, std::size_t entries) {
  head.assign(positions, kNone);
  next.resize(entries);
}

void RunPlanner::Agenda::put_first(std::size_t position, std::size_t entry) {
  next[entry] = head[position];
  head[position] = static_cast<std::int32_t>(entry);
}

RunPlanner::RunPlanner(const PlanningProblem& problem)
    : problem_(problem), builder_(problem.costs.static_bytes) {}

const Plan& RunPlanner::build(const RunList& list, const std::vector<GapMove>& moves) {
  builder_.reset();
  add_all(list, moves);
  return builder_.finish();
}

Plan RunPlanner::build_once(const RunList& list, const std::vector<GapMove>& moves) && {
  builder_.reset();
  builder_.reserve(list.runs.size() + 2 * moves.size(),
                   list.stays.size() + moves.size() + list.runs.size());
  add_all(list, moves);
  return std::move(builder_).finish();
}

void RunPlanner::add_all(const RunList& list, const std::vector<GapMove>& moves) {
  note_moves(list, moves);
  block_.resize(list.stays.size());
  out_.assign(list.stays.size(), std::nullopt);
  steps_.clear();
  next_move_ = 0;
  for (next_stay_ = 0; next_stay_ < list.stays.size(); ++next_stay_) {
    const TensorId tensor = list.stays[next_stay_].tensor;
    if (problem_.graph.lifetimes[tensor.at()].first_writer) break;
    builder_.initially_resident(new_block(list, next_stay_));
  }
  for (std::size_t i = 0; i < list.runs.size(); ++i) add_run(list, moves, i);
  OOC_CHECK(next_move_ == moves.size(), "moves are in order of their next use");
}

/// When blocks end and copies out start; at one position in the order of the stays.
void RunPlanner::note_moves(const RunList& list, const std::vector<GapMove>& moves) {
  constexpr std::int32_t kNever = -1;
  const std::size_t stays = list.stays.size();
  far_since_.assign(stays, kNever);
  first_move_.assign(stays, Agenda::kNone);
  next_move_of_.resize(moves.size());
  goes_out_.resize(moves.size());
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const StayGap& gap = list.gaps[moves[i].gap];
    const auto written = gap.written ? static_cast<std::int32_t>(*gap.written) : kNever;
    goes_out_[i] = far_since_[gap.stay] != written;
    far_since_[gap.stay] = written;
    next_move_of_[i] = first_move_[gap.stay];
    first_move_[gap.stay] = static_cast<std::int32_t>(i);
  }
  ends_.clear(list.runs.size(), stays + moves.size());
  leaving_.clear(list.runs.size(), moves.size());
  for (std::size_t stay = stays; stay-- > 0;) {
    ends_.put_first(list.stays[stay].end - 1, stay);
    for (std::int32_t i = first_move_[stay]; i >= 0;) {
      const auto move = static_cast<std::size_t>(i);
      const StayGap& gap = list.gaps[moves[move].gap];
      ends_.put_first(gap.first - 1, stays + move);
      if (goes_out_[move]) leaving_.put_first(*gap.written, move);
      i = next_move_of_[move];
    }
  }
}

BlockId RunPlanner::new_block(const RunList& list, std::size_t stay) {
  const TensorId tensor = list.stays[stay].tensor;
  block_[stay] = builder_.tensor_block(tensor, problem_.costs.tensor_bytes[tensor.at()]);
  return block_[stay];
}

void RunPlanner::add_run(const RunList& list, const std::vector<GapMove>& moves,
                         std::size_t position) {
  const TaskRun& run = list.runs[position];
  copies_.clear();
  while (next_move_ < moves.size() && list.gaps[moves[next_move_].gap].end == position) {
    copies_.push_back(add_copy_in(list, moves[next_move_++]));
  }
  const StepId step =
      run.again ? builder_.recompute(run.task, run.way) : builder_.compute(run.task, run.way);
  steps_.push_back(step);
  for (const StepId copy : copies_) builder_.wait(step, copy);
  if (const Bytes workspace = problem_.costs[run.way].workspace; workspace.count() > 0) {
    const BlockId block = builder_.workspace_block(run.task, workspace);
    builder_.acquire(step, block);
    builder_.release(block, step);
  }
  for (; next_stay_ < list.stays.size() && list.stays[next_stay_].first == position; ++next_stay_) {
    builder_.acquire(step, new_block(list, next_stay_));
  }
  for (std::int32_t i = leaving_.head[position]; i >= 0;
       i = leaving_.next[static_cast<std::size_t>(i)]) {
    const std::size_t stay = list.gaps[moves[static_cast<std::size_t>(i)].gap].stay;
    const StepId copy = builder_.to_far(list.stays[stay].tensor);
    builder_.wait(copy, step);
    builder_.release(block_[stay], copy);
    out_[stay] = copy;
  }
  for (std::int32_t i = ends_.head[position]; i >= 0; i = ends_.next[static_cast<std::size_t>(i)]) {
    const auto entry = static_cast<std::size_t>(i);
    const std::size_t stays = list.stays.size();
    const std::size_t stay = entry < stays ? entry : list.gaps[moves[entry - stays].gap].stay;
    builder_.release(block_[stay], step);
  }
}

StepId RunPlanner::add_copy_in(const RunList& list, const GapMove& move) {
  const std::size_t stay = list.gaps[move.gap].stay;
  const StepId copy = builder_.to_near(list.stays[stay].tensor);
  if (out_[stay]) builder_.wait(copy, *out_[stay]);
  builder_.wait(copy, steps_[move.may_return_after]);
  builder_.acquire(copy, new_block(list, stay));
  return copy;
}

Plan build_run_plan(const PlanningProblem& problem, const RunList& list,
                    const std::vector<GapMove>& moves) {
  return RunPlanner(problem).build_once(list, moves);
}

}  // namespace ooc
