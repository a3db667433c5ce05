// Fills the tables of a TrainingGraph from what a test says.
#include "tests/support/hand_graph.hpp"

#include "model/base/errors.hpp"

namespace ooc::test {

namespace {

template <class Update>
void touch(std::optional<TaskId>& bound, TaskId task, Update better) {
  if (!bound || better(task, *bound)) bound = task;
}

}  // namespace

HandGraph::HandGraph() : network_(std::make_unique<Network>()) { graph_.network = network_.get(); }

TaskId HandGraph::add_task(const std::string& name, TaskKind kind) {
  network_->layers.emplace_back().name = name;
  Task task;
  task.kind = kind;
  task.layer = make_id<LayerId>(network_->layers.size() - 1);
  graph_.tasks.push_back(task);
  return make_id<TaskId>(graph_.tasks.size() - 1);
}

TaskId HandGraph::forward(const std::string& name) {
  OOC_CHECK(graph_.forward_tasks == graph_.tasks.size(), "forward tasks come first");
  ++graph_.forward_tasks;
  return add_task(name, TaskKind::kForward);
}

TaskId HandGraph::backward(const std::string& name) { return add_task(name, TaskKind::kBackward); }

TensorId HandGraph::input(const std::string& name, std::int64_t bytes) {
  network_->inputs.emplace_back().name = name;
  Tensor tensor;
  tensor.role = TensorRole::kInput;
  tensor.input = make_id<InputId>(network_->inputs.size() - 1);
  tensor.bytes_per_sample = bytes;
  graph_.tensors.push_back(tensor);
  return make_id<TensorId>(graph_.tensors.size() - 1);
}

TensorId HandGraph::tensor(const std::string& name, std::int64_t bytes) {
  network_->layers.emplace_back().name = name;
  Tensor tensor;
  tensor.layer = make_id<LayerId>(network_->layers.size() - 1);
  tensor.bytes_per_sample = bytes;
  graph_.tensors.push_back(tensor);
  return make_id<TensorId>(graph_.tensors.size() - 1);
}

TensorId HandGraph::gradient(const std::string& name, std::int64_t bytes) {
  const TensorId id = tensor(name, bytes);
  graph_.tensors[id.at()].role = TensorRole::kGradient;
  return id;
}

void HandGraph::reads(TaskId task, TensorId tensor) { reads_.emplace_back(task, tensor); }
void HandGraph::writes(TaskId task, TensorId tensor) { writes_.emplace_back(task, tensor); }

TrainingGraph HandGraph::build() const {
  TrainingGraph graph = graph_;
  graph.backward_end = graph.tasks.size();
  graph.reads = Csr<TaskId, TensorId>(graph.tasks.size(), reads_);
  graph.writes = Csr<TaskId, TensorId>(graph.tasks.size(), writes_);
  graph.lifetimes.resize(graph.tensors.size());
  const auto earlier = [](TaskId a, TaskId b) { return a < b; };
  const auto later = [](TaskId a, TaskId b) { return b < a; };
  const auto use = [&](TaskId task, Lifetime& life) {
    touch(life.last_use, task, later);
    if (task.at() < graph.forward_tasks) {
      touch(life.last_forward_use, task, later);
    } else {
      touch(life.first_backward_use, task, earlier);
    }
  };
  for (const auto& [task, tensor] : reads_) use(task, graph.lifetimes[tensor.at()]);
  for (const auto& [task, tensor] : writes_) {
    Lifetime& life = graph.lifetimes[tensor.at()];
    use(task, life);
    touch(life.first_writer, task, earlier);
    touch(life.last_writer, task, later);
  }
  return graph;
}

}  // namespace ooc::test
