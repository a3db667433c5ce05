// One pass over the tasks. Which buffer holds a tensor now is kept by tensor; a backward task whose
// dropped tensors have none runs the tasks that make them first.
#include "simulator/schedules/run_list.hpp"

#include <algorithm>
#include <utility>

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
    std::sort(wanted_.begin(), wanted_.end());
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
  std::sort(gaps.begin(), gaps.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(list.gaps[a].stay, a) < std::pair(list.gaps[b].stay, b);
  });
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

}  // namespace ooc
