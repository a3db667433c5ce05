// Marks on pieces: which of them stay, found in one pass backwards (saved values read by later segments)
// and one forwards (unsaved ones whose own inputs do not stay). A segment ends at a checkpoint, or after kMostTasks cheap tasks: computing a segment again
// for each of its uses is quadratic in its length.
#include "simulator/schedules/segments.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace ooc {
namespace {

/// Longer than any segment of the shipped networks. A chain of a million cheap layers runs 4 million of them again.
constexpr std::size_t kMostTasks = 8;

class SegmentFinder {
 public:
  explicit SegmentFinder(const PlanningProblem& problem)
      : problem_(problem),
        graph_(problem.graph),
        segment_of_task_(graph_.forward_tasks),
        seen_by_(graph_.tensors.size(), -1) {
    Pieces pieces = find_pieces(problem.graph);
    found_.of_tensor.resize(graph_.tensors.size());
    found_.piece_of = std::move(pieces.of_tensor);
    found_.tasks_of = std::move(pieces.tasks_of);
    piece_of_task_ = std::move(pieces.of_task);
    pieces_.resize(found_.tasks_of.rows());
  }

  Segments run() && {
    number_segments();
    find_what_stays();
    keep_what_later_segments_read();
    keep_what_depends_on_dropped();
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      if (found_.piece_of[i] && pieces_[found_.piece_of[i]->at()].stays) found_.piece_of[i].reset();
    }
    find_largest_working_set();
    collect();
    return std::move(found_);
  }

 private:
  struct Piece {
    std::size_t segment = 0;
    bool stays = false;
    bool saved = false;         ///< backward reads some of it
    bool read_later = false;    ///< by a cheap layer of another segment
    std::int32_t visited = -1;  ///< by which segment's collection
  };

  [[nodiscard]] bool is_checkpoint(TaskId task) const { return multiplies(graph_, task); }
  [[nodiscard]] Bytes bytes(TensorId tensor) const {
    return problem_.costs.tensor_bytes[tensor.at()];
  }
  [[nodiscard]] bool returns(TensorId tensor) const {
    const Lifetime& life = graph_.lifetimes[tensor.at()];
    return life.last_forward_use && life.first_backward_use &&
           life.first_backward_use->index > life.last_forward_use->index + 1;
  }
  Piece& piece(PieceId id) { return pieces_[id.at()]; }
  PieceId piece_of_task(TaskId task) { return piece_of_task_[task.at()]; }

  void number_segments() {
    std::size_t segment = 0;
    std::size_t length = 0;
    for (std::size_t i = 0; i < graph_.forward_tasks; ++i) {
      const bool checkpoint = is_checkpoint(make_id<TaskId>(i));
      if (checkpoint || length == kMostTasks) {
        ++segment;
        length = 0;
      }
      if (!checkpoint) ++length;
      segment_of_task_[i] = segment;
    }
  }

  void find_what_stays() {
    std::vector<bool> returns_some(pieces_.size());
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      const TensorId tensor = make_id<TensorId>(i);
      if (!found_.piece_of[i] || !is_saved(graph_, tensor)) continue;
      piece(*found_.piece_of[i]).saved = true;
      if (returns(tensor)) returns_some[found_.piece_of[i]->at()] = true;
    }
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      const auto tasks = found_.tasks_of[make_id<PieceId>(p)];
      Piece& it = pieces_[p];
      it.segment = segment_of_task_[tasks.front().at()];
      // Read again at once, dropping it would free nothing.
      if (it.saved && !returns_some[p]) it.stays = true;
      for (const TaskId task : tasks) {
        if (is_checkpoint(task) || segment_of_task_[task.at()] != it.segment) it.stays = true;
      }
    }
  }

  /// Calls `visit` for every piece, other than the task's own, of which the task reads a tensor.
  template <class Visit>
  void for_each_piece_read(TaskId task, Visit visit) {
    for (const TensorId tensor : graph_.reads[task]) {
      const auto& read = found_.piece_of[tensor.at()];
      if (read && *read != piece_of_task(task)) visit(*read);
    }
  }

  void keep_what_later_segments_read() {
    for (std::size_t i = graph_.forward_tasks; i-- > 0;) {
      const TaskId task = make_id<TaskId>(i);
      const Piece& reader = piece(piece_of_task(task));
      if (reader.stays) continue;
      for_each_piece_read(task, [&](PieceId id) {
        Piece& read = piece(id);
        if (read.segment == reader.segment) return;
        read.read_later = true;
        if (read.saved) read.stays = true;
      });
    }
  }

  void keep_what_depends_on_dropped() {
    for (TaskId task; task.at() < graph_.forward_tasks; ++task.index) {
      Piece& reader = piece(piece_of_task(task));
      if (reader.stays || !reader.read_later) continue;
      for_each_piece_read(task, [&](PieceId id) {
        if (!piece(id).stays) reader.stays = true;
      });
    }
  }

  /// Bytes of what the task touches that has not been seen by `who`, and its workspace.
  Bytes touched(TaskId task, std::int32_t who) {
    Bytes sum;
    for (const auto row : {graph_.reads[task], graph_.writes[task]}) {
      for (const TensorId tensor : row) {
        if (seen_by_[tensor.at()] == who) continue;
        seen_by_[tensor.at()] = who;
        sum += bytes(tensor);
      }
    }
    return sum;
  }
  [[nodiscard]] Bytes workspace(TaskId task) const {
    return problem_.costs[problem_.chosen(task)].workspace;
  }

  void find_largest_working_set() {
    const std::vector<Bytes> touched = touched_bytes(graph_, problem_.costs);
    for (std::size_t i = 0; i < touched.size(); ++i) {
      const Bytes sum = touched[i] + workspace(make_id<TaskId>(i));
      found_.largest_working_set = std::max(found_.largest_working_set, sum);
    }
  }

  /// The pieces with something to drop by segment, then each segment with all that it needs.
  void collect() {
    std::vector<std::pair<std::size_t, TensorId>> dropped;
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      const TensorId tensor = make_id<TensorId>(i);
      if (!found_.piece_of[i] || !is_saved(graph_, tensor)) continue;
      dropped.emplace_back(piece(*found_.piece_of[i]).segment, tensor);
    }
    std::ranges::sort(dropped);
    for (std::size_t first = 0; first < dropped.size();) {
      std::size_t end = first;
      while (end < dropped.size() && dropped[end].first == dropped[first].first) ++end;
      add_segment(std::span(dropped).subspan(first, end - first));
      first = end;
    }
  }

  void add_segment(std::span<const std::pair<std::size_t, TensorId>> dropped) {
    RecomputeSegment segment;
    const auto stamp = static_cast<std::int32_t>(dropped.front().first);
    std::vector<PieceId> waiting;
    const auto want = [&](PieceId id) {
      if (piece(id).visited == stamp || piece(id).stays) return;
      piece(id).visited = stamp;
      waiting.push_back(id);
    };
    TaskId user = make_id<TaskId>(graph_.tasks.size() - 1);
    for (const auto& [number, tensor] : dropped) {
      segment.dropped.push_back(tensor);
      segment.freed += bytes(tensor);
      user = std::min(user, *graph_.lifetimes[tensor.at()].first_backward_use);
      want(*found_.piece_of[tensor.at()]);
    }
    while (!waiting.empty()) {
      const PieceId next = waiting.back();
      waiting.pop_back();
      for (const TaskId task : found_.tasks_of[next]) {
        segment.tasks.push_back(task);
        for_each_piece_read(task, want);
      }
    }
    std::ranges::sort(segment.tasks);
    if (segment.freed <= weigh(segment, user)) return;
    for (const TensorId tensor : segment.dropped) {
      found_.of_tensor[tensor.at()] = found_.list.size();
    }
    found_.list.push_back(std::move(segment));
  }

  /// Fills in what the segment costs; returns the bytes that stay near only so that it can be computed again.
  Bytes weigh(RecomputeSegment& segment, TaskId user) {
    const std::int32_t who = who_++;
    Bytes largest_workspace = workspace(user);
    Bytes only_for_it;
    for (const TaskId task : segment.tasks) {
      segment.time += problem_.costs[problem_.chosen(task)].time;
      largest_workspace = std::max(largest_workspace, workspace(task));
      for (const TensorId tensor : graph_.reads[task]) {
        const bool stays = !found_.piece_of[tensor.at()];
        const bool seen = seen_by_[tensor.at()] == who;
        if (!stays || seen || graph_.lifetimes[tensor.at()].first_backward_use) continue;
        only_for_it += bytes(tensor);
      }
      segment.kept_at_once += touched(task, who);
    }
    segment.kept_at_once += touched(user, who) + largest_workspace;
    return only_for_it;
  }

  const PlanningProblem& problem_;
  const TrainingGraph& graph_;
  Segments found_;
  std::vector<Piece> pieces_;
  std::vector<PieceId> piece_of_task_;
  std::vector<std::size_t> segment_of_task_;
  std::vector<std::int32_t> seen_by_;  ///< by tensor: the last sum that counted it
  std::int32_t who_ = 0;
};

}  // namespace

Segments find_segments(const PlanningProblem& problem) { return SegmentFinder(problem).run(); }

// By merging the writers of each tensor.

Pieces find_pieces(const TrainingGraph& graph) {
  const std::size_t tasks = graph.forward_tasks;
  std::vector<std::size_t> parent(tasks);
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](std::size_t task) {
    while (parent[task] != task) task = parent[task] = parent[parent[task]];
    return task;
  };
  std::vector<std::optional<std::size_t>> writer(graph.tensors.size());
  for (std::size_t i = 0; i < tasks; ++i) {
    for (const TensorId tensor : graph.writes[make_id<TaskId>(i)]) {
      if (auto& earlier = writer[tensor.at()]) parent[root(i)] = root(*earlier);
      writer[tensor.at()] = i;
    }
  }
  Pieces found;
  std::vector<std::optional<PieceId>> of_root(tasks);
  std::vector<std::pair<PieceId, TaskId>> rows;
  std::size_t count = 0;
  for (std::size_t i = 0; i < tasks; ++i) {
    auto& id = of_root[root(i)];
    if (!id) id = make_id<PieceId>(count++);
    found.of_task.push_back(*id);
    rows.emplace_back(*id, make_id<TaskId>(i));
  }
  found.tasks_of = Csr<PieceId, TaskId>(count, rows);
  found.of_tensor.resize(graph.tensors.size());
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    if (writer[i]) found.of_tensor[i] = found.of_task[*writer[i]];
  }
  return found;
}

bool multiplies(const TrainingGraph& graph, TaskId task) {
  const LayerModel& model = *graph.network->layers[graph.tasks[task.at()].layer.at()].model;
  return model.forward_macs > 0 || model.custom.has_value();
}

}  // namespace ooc
