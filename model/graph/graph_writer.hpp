// A training graph in the making, for whatever makes one graph of another (model/rewrite): tasks one behind the other,
// each with the tensors that it touches.
#pragma once

#include <utility>
#include <vector>

#include "model/graph/training_graph.hpp"

namespace ooc {

struct GraphWriter {
  TrainingGraph graph;
  std::vector<std::pair<TaskId, TensorId>> reads;
  std::vector<std::pair<TaskId, TensorId>> writes;

  /// All that `like` says of its network; no tasks and no tensors.
  explicit GraphWriter(const TrainingGraph& like);

  TaskId add(const Task& task);
  TensorId add(const Tensor& tensor);
  /// The task with what it touches. `renamed`: of each tensor its id here.
  template <class Renamed>
  TaskId copy(const TrainingGraph& from, TaskId task, Renamed renamed) {
    const TaskId to = add(from.tasks[task.at()]);
    for (const TensorId tensor : from.reads[task]) reads.emplace_back(to, renamed(tensor));
    for (const TensorId tensor : from.writes[task]) writes.emplace_back(to, renamed(tensor));
    return to;
  }

  /// Fills in rows, lifetimes, `forward_tasks` and `backward_end`.
  [[nodiscard]] TrainingGraph finish() &&;
};

/// From tasks, reads and writes.
void find_lifetimes(TrainingGraph& graph);

}  // namespace ooc
