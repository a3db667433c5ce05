// Forward and backward tasks are told apart by their kinds: of several rounds those of each follow one another.
#include "model/graph/graph_writer.hpp"

#include <algorithm>

namespace ooc {
namespace {

bool is_forward(const Task& task) {
  return task.kind == TaskKind::kForward || task.kind == TaskKind::kCompress;
}
bool is_backward(const Task& task) {
  return is_backward(task.kind) || task.kind == TaskKind::kDecompress;
}

}  // namespace

GraphWriter::GraphWriter(const TrainingGraph& like) {
  graph.network = like.network;
  graph.optimizer = like.optimizer;
  graph.output_of_layer = like.output_of_layer;
  graph.units = like.units;
  graph.per_parameter = like.per_parameter;
  graph.weight_bytes = like.weight_bytes;
  graph.gradient_bytes = like.gradient_bytes;
  graph.optimizer_bytes = like.optimizer_bytes;
}

TaskId GraphWriter::add(const Task& task) {
  graph.tasks.push_back(task);
  return make_id<TaskId>(graph.tasks.size() - 1);
}

TensorId GraphWriter::add(const Tensor& tensor) {
  graph.tensors.push_back(tensor);
  return make_id<TensorId>(graph.tensors.size() - 1);
}

TrainingGraph GraphWriter::finish() && {
  const auto& tasks = graph.tasks;
  const auto forward = std::ranges::find_if_not(tasks, is_forward);
  const auto backward = std::find_if_not(
      forward, tasks.end(), [](const Task& task) { return is_forward(task) || is_backward(task); });
  graph.forward_tasks = static_cast<std::size_t>(forward - tasks.begin());
  graph.backward_end = static_cast<std::size_t>(backward - tasks.begin());
  graph.reads = Csr<TaskId, TensorId>(tasks.size(), reads);
  graph.writes = Csr<TaskId, TensorId>(tasks.size(), writes);
  find_lifetimes(graph);
  return std::move(graph);
}

void find_lifetimes(TrainingGraph& graph) {
  graph.lifetimes.assign(graph.tensors.size(), {});
  for (TaskId task; task.at() < graph.tasks.size(); ++task.index) {
    for (const auto row : {graph.reads[task], graph.writes[task]}) {
      for (const TensorId tensor : row) {
        Lifetime& life = graph.lifetimes[tensor.at()];
        life.last_use = task;
        if (is_forward(graph.tasks[task.at()])) {
          life.last_forward_use = task;
        } else if (!life.first_backward_use) {
          life.first_backward_use = task;
        }
      }
    }
    for (const TensorId tensor : graph.writes[task]) {
      Lifetime& life = graph.lifetimes[tensor.at()];
      if (!life.first_writer) life.first_writer = task;
      life.last_writer = task;
    }
  }
}

}  // namespace ooc
