// By merging the writers of each tensor.
#include "simulator/schedules/pieces.hpp"

#include <numeric>
#include <utility>

namespace ooc {

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
