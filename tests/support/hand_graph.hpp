// Training graphs written by hand, for tests of plans: tasks and tensors with names, and who reads
// and writes what. Each task belongs to a layer of its own name; each tensor to a layer named like
// it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/graph/training_graph.hpp"

namespace ooc::test {

class HandGraph {
 public:
  HandGraph();

  TaskId forward(const std::string& name);
  /// Backward tasks come after all forward ones.
  TaskId backward(const std::string& name);
  TensorId input(const std::string& name, std::int64_t bytes = 0);
  TensorId tensor(const std::string& name, std::int64_t bytes = 0);
  TensorId gradient(const std::string& name, std::int64_t bytes = 0);
  void reads(TaskId task, TensorId tensor);
  void writes(TaskId task, TensorId tensor);

  /// With lifetimes filled in from reads and writes. This object must outlive the result.
  [[nodiscard]] TrainingGraph build() const;

 private:
  TaskId add_task(const std::string& name, TaskKind kind);

  std::unique_ptr<Network> network_;
  TrainingGraph graph_;
  std::vector<std::pair<TaskId, TensorId>> reads_;
  std::vector<std::pair<TaskId, TensorId>> writes_;
};

}  // namespace ooc::test
