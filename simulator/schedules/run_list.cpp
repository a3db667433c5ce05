// One pass over the tasks. Which buffer holds a tensor now is kept by tensor; a backward task whose
// dropped tensors have none runs the tasks that make them first.
#include "simulator/schedules/run_list.hpp"

#include <algorithm>
#include <utility>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

class RunLister {
 public:
  RunLister(const PlanningProblem& problem, const Segments& segments,
            const std::vector<SegmentUse>& uses)
      : problem_(problem),
        graph_(problem.graph),
        segments_(segments),
        uses_(uses),
        current_(graph_.tensors.size()),
        wanted_by_(segments.tasks_of.rows(), kNobody),
        touched_by_(graph_.tensors.size(), kNobody) {
    list_.runs.reserve(graph_.tasks.size());
    list_.stays.reserve(graph_.tensors.size());
    written_.reserve(graph_.tensors.size());
  }

  RunList run() && {
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      const Lifetime& life = graph_.lifetimes[i];
      if (!life.first_writer && life.last_use) open(make_id<TensorId>(i));
    }
    for (std::size_t i = 0; i < graph_.forward_tasks; ++i) add(make_id<TaskId>(i), false);
    list_.forward_runs = list_.runs.size();
    drop();
    for (std::size_t i = graph_.forward_tasks; i < graph_.tasks.size(); ++i) {
      restore_for(make_id<TaskId>(i));
      add(make_id<TaskId>(i), false);
      drop_after(i);
    }
    return std::move(list_);
  }

 private:
  static constexpr std::int32_t kNobody = -1;

  void open(TensorId tensor) {
    current_[tensor.at()] = list_.stays.size();
    list_.stays.push_back({.tensor = tensor, .first = list_.runs.size()});
    written_.emplace_back();
  }

  std::size_t touch(TensorId tensor) {
    const std::size_t position = list_.runs.size();
    const std::size_t index = *current_[tensor.at()];
    TensorStay& stay = list_.stays[index];
    const bool turned = list_.forward_runs > 0 && position >= list_.forward_runs;
    const bool used_before = stay.end > stay.first && stay.first < list_.forward_runs;
    if (turned && used_before && stay.end <= list_.forward_runs && position > stay.end) {
      list_.gaps.push_back(
          {.stay = index, .first = stay.end, .end = position, .written = written_[index]});
    }
    stay.end = position + 1;
    return index;
  }

  void add(TaskId task, bool again) {
    for (const TensorId tensor : graph_.writes[task]) {
      if (graph_.lifetimes[tensor.at()].first_writer == task) open(tensor);
      written_[touch(tensor)] = list_.runs.size();
    }
    for (const TensorId tensor : graph_.reads[task]) touch(tensor);
    list_.runs.push_back({task, again, problem_.chosen(task)});
  }

  [[nodiscard]] std::optional<SegmentUse> use_of(TensorId tensor) const {
    const auto& segment = segments_.of_tensor[tensor.at()];
    if (!segment || uses_[*segment] == SegmentUse::kKept) return std::nullopt;
    return uses_[*segment];
  }

  /// At the end of the forward pass: what will be computed again, and what goes into that.
  void drop() {
    for (std::size_t i = 0; i < current_.size(); ++i) {
      const bool passing = segments_.piece_of[i] && !is_saved(graph_, make_id<TensorId>(i));
      if (passing || use_of(make_id<TensorId>(i))) current_[i].reset();
    }
  }

  void restore_for(TaskId task) {
    for (const auto row : {graph_.reads[task], graph_.writes[task]}) {
      for (const TensorId tensor : row) {
        if (current_[tensor.at()]) continue;
        const auto use = use_of(tensor);
        if (use == SegmentUse::kOnce) {
          run_segment(segments_.list[*segments_.of_tensor[tensor.at()]]);
        } else if (use == SegmentUse::kForEachUse) {
          want(*segments_.piece_of[tensor.at()], task);
        }
      }
    }
    run_wanted(task);
  }

  void run_segment(const RecomputeSegment& segment) {
    for (const TaskId task : segment.tasks) {
      add(task, true);
      for (const TensorId tensor : graph_.writes[task]) {
        if (!is_saved(graph_, tensor)) passing_.push_back(tensor);
      }
    }
  }

  void want(PieceId piece, TaskId for_whom) {
    if (wanted_by_[piece.at()] == for_whom.index) return;
    wanted_by_[piece.at()] = for_whom.index;
    pieces_.push_back(piece);
  }

  void run_wanted(TaskId for_whom) {
    wanted_.clear();
    while (!pieces_.empty()) {
      const PieceId piece = pieces_.back();
      pieces_.pop_back();
      for (const TaskId task : segments_.tasks_of[piece]) {
        wanted_.push_back(task);
        for (const TensorId tensor : graph_.reads[task]) {
          const auto& source = segments_.piece_of[tensor.at()];
          if (source && !current_[tensor.at()]) want(*source, for_whom);
        }
      }
    }
    std::ranges::sort(wanted_);
    for (const TaskId task : wanted_) {
      add(task, true);
      for (const TensorId tensor : graph_.writes[task]) passing_.push_back(tensor);
    }
  }

  /// Of what was computed for one use, only what the next task touches stays.
  void drop_after(std::size_t task) {
    if (passing_.empty()) return;
    const std::size_t next = task + 1;
    if (next < graph_.tasks.size()) {
      for (const auto row :
           {graph_.reads[make_id<TaskId>(next)], graph_.writes[make_id<TaskId>(next)]}) {
        for (const TensorId tensor : row) {
          touched_by_[tensor.at()] = static_cast<std::int32_t>(next);
        }
      }
    }
    const auto stays = [&](TensorId tensor) {
      return touched_by_[tensor.at()] == static_cast<std::int32_t>(next);
    };
    std::size_t kept = 0;
    for (const TensorId tensor : passing_) {
      if (stays(tensor)) {
        passing_[kept++] = tensor;
      } else {
        current_[tensor.at()].reset();
      }
    }
    passing_.resize(kept);
  }

  const PlanningProblem& problem_;
  const TrainingGraph& graph_;
  const Segments& segments_;
  const std::vector<SegmentUse>& uses_;
  RunList list_;
  std::vector<std::optional<std::size_t>> written_;  ///< by stay: the last position that wrote it
  std::vector<std::optional<std::size_t>> current_;  ///< by tensor: its stay
  std::vector<std::int32_t> wanted_by_;              ///< by piece: the last task that wanted it
  std::vector<std::int32_t> touched_by_;             ///< by tensor: scratch of drop_after
  std::vector<PieceId> pieces_;
  std::vector<TaskId> wanted_;
  std::vector<TensorId> passing_;  ///< near for one use
};

}  // namespace

RunList list_runs(const PlanningProblem& problem, const Segments& segments,
                  const std::vector<SegmentUse>& uses) {
  return RunLister(problem, segments, uses).run();
}

Footprint footprint_of(const PlanningProblem& problem, const RunList& list,
                       const std::vector<std::size_t>& away) {
  std::vector<std::size_t> gaps = away;
  std::ranges::sort(gaps, {},
                    [&](std::size_t each) { return std::pair(list.gaps[each].stay, each); });
  Footprint footprint(problem, list.runs.size());
  auto next = gaps.begin();
  for (std::size_t i = 0; i < list.stays.size(); ++i) {
    const TensorStay& stay = list.stays[i];
    std::size_t from = stay.first;
    for (; next != gaps.end() && list.gaps[*next].stay == i; ++next) {
      footprint.add({stay.tensor, from, list.gaps[*next].first});
      from = list.gaps[*next].end;
    }
    footprint.add({stay.tensor, from, stay.end});
  }
  for (std::size_t i = 0; i < list.runs.size(); ++i) {
    footprint.add_workspace(list.runs[i].task, i);
  }
  return footprint;
}

std::optional<OutOfMemory> run_shortage(const PlanningProblem& problem, const RunList& list,
                                        const Footprint& footprint) {
  return footprint.shortage([&](std::size_t position) {
    const TaskRun& run = list.runs[position];
    return task_name(problem.graph, run.task) + (run.again ? " (again)" : "");
  });
}

// From runs and stays to steps and blocks, in the order of sequence numbers that task_plan.cpp
// explains: a copy out right after the step that it waits for, a copy in right before its reader.

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
  last_move_.assign(stays, Agenda::kNone);
  previous_move_.resize(moves.size());
  goes_out_.resize(moves.size());
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const StayGap& gap = list.gaps[moves[i].gap];
    const auto written = gap.written ? static_cast<std::int32_t>(*gap.written) : kNever;
    goes_out_[i] = far_since_[gap.stay] != written;
    far_since_[gap.stay] = written;
    previous_move_[i] = last_move_[gap.stay];
    last_move_[gap.stay] = static_cast<std::int32_t>(i);
  }
  ends_.clear(list.runs.size(), stays + moves.size());
  leaving_.clear(list.runs.size(), moves.size());
  for (std::size_t stay = stays; stay-- > 0;) {
    ends_.put_first(list.stays[stay].end - 1, stay);
    for (std::int32_t i = last_move_[stay]; i >= 0;) {
      const auto move = static_cast<std::size_t>(i);
      const StayGap& gap = list.gaps[moves[move].gap];
      ends_.put_first(gap.first - 1, stays + move);
      if (goes_out_[move]) leaving_.put_first(*gap.written, move);
      i = previous_move_[move];
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
  const StepId step = run.again ? builder_.recompute(run.task, run.algorithm)
                                : builder_.compute(run.task, run.algorithm);
  steps_.push_back(step);
  for (const StepId copy : copies_) builder_.wait(step, copy);
  builder_.take_workspace(step, run.task, problem_.costs[run.algorithm].workspace);
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
