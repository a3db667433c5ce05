// Training graph under construction, for code that rewrites one graph into another (model/rewrite):
// tasks in order, each with the tensors that it touches.
#pragma once

#include <utility>
#include <vector>

#include "model/graph/training_graph.hpp"

namespace ooc {

struct GraphWriter {
  TrainingGraph graph;
  std::vector<std::pair<TaskId, TensorId>> reads;
  std::vector<std::pair<TaskId, TensorId>> writes;

  /// Copies network, optimiser, units and static bytes of `like`, but no tasks and tensors.
  explicit GraphWriter(const TrainingGraph& like);

  TaskId add(const Task& task);
  TensorId add(const Tensor& tensor);
  /// Adds a copy of a task of `from`, with reads and writes. renamed(tensor): id in `graph` of a tensor of `from`.
  template <class Renamed>
  TaskId copy(const TrainingGraph& from, TaskId task, Renamed renamed) {
    const TaskId to = add(from.tasks[task.at()]);
    for (const TensorId tensor : from.reads[task]) reads.emplace_back(to, renamed(tensor));
    for (const TensorId tensor : from.writes[task]) writes.emplace_back(to, renamed(tensor));
    return to;
  }

  /// Returns `graph`, with reads, writes, lifetimes, forward_tasks and backward_end set.
  [[nodiscard]] TrainingGraph finish() &&;
};

/// Sets TrainingGraph::lifetimes from tasks, reads and writes.
void find_lifetimes(TrainingGraph& graph);

}  // namespace ooc
