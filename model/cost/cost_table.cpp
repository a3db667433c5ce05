#include "model/cost/cost_table.hpp"

#include <optional>

namespace ooc {
namespace {

enum class Gradients { kAll, kShared };

std::vector<HeldBytes> gradients_by_task(const TrainingGraph& graph, Gradients which) {
  std::vector<std::optional<Bytes>> to_come(graph.network->layers.size());  // by owner
  std::vector<std::optional<LayerId>> owner_of(graph.network->layers.size());
  for (const WeightUnit& unit : graph.network->units) {
    if (unit.is_frozen || (which == Gradients::kShared && unit.tied.empty())) continue;
    to_come[unit.owner.at()] = Bytes(unit.parameters * graph.per_parameter.gradient);
    owner_of[unit.owner.at()] = unit.owner;
    for (const LayerId tied : unit.tied) owner_of[tied.at()] = unit.owner;
  }
  const std::vector<std::optional<Bytes>> whole = to_come;
  std::vector<std::size_t> forward(graph.network->layers.size());  // by layer: its task
  for (std::size_t i = 0; i < graph.forward_tasks; ++i) forward[graph.tasks[i].layer.at()] = i;
  std::vector<HeldBytes> by_task(graph.tasks.size());
  Bytes held;
  std::size_t ahead = graph.forward_tasks;  // forward tasks before it have yet to be met
  for (std::size_t i = graph.forward_tasks; i < graph.tasks.size(); ++i) {
    const LayerId layer = graph.tasks[i].layer;
    for (; i < graph.backward_end && ahead > forward[layer.at()]; --ahead) {
      by_task[ahead - 1].held = held;
    }
    if (writes_weight_gradient(graph, graph.tasks[i]) && owner_of[layer.at()]) {
      const std::size_t owner = owner_of[layer.at()]->at();
      by_task[i].begun = to_come[owner].value_or(Bytes(0));
      // Autograd sums what layers that share weights give into a new tensor (input_buffer.cpp: a view is not added to).
      if (by_task[i].begun == Bytes(0)) by_task[i].summed = 2 * whole[owner].value_or(Bytes(0));
      to_come[owner] = Bytes(0);
    }
    held += by_task[i].begun;
    by_task[i].held = held;
  }
  for (; ahead > 0; --ahead) by_task[ahead - 1].held = held;
  return by_task;
}

void add_to_workspaces(CostTable& costs, std::size_t task, Bytes bytes) {
  const auto end = static_cast<std::size_t>(costs.first_alternative[task + 1]);
  for (auto algorithm = static_cast<std::size_t>(costs.first_alternative[task]); algorithm < end;
       ++algorithm) {
    costs.alternatives[algorithm].workspace += bytes;
  }
}

}  // namespace

void free_gradients(const TrainingGraph& graph, CostTable& costs) {
  const std::vector<HeldBytes> gradients = gradients_by_task(graph, Gradients::kAll);
  costs.held.resize(graph.tasks.size());
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    costs.held[i].held += gradients[i].held;
    costs.held[i].begun = gradients[i].begun;
    costs.static_bytes -= gradients[i].begun;
    add_to_workspaces(costs, i, gradients[i].held + gradients[i].summed);
  }
}

void sum_shared_gradients(const TrainingGraph& graph, CostTable& costs) {
  const std::vector<HeldBytes> gradients = gradients_by_task(graph, Gradients::kShared);
  for (std::size_t i = 0; i < graph.backward_end; ++i) {
    add_to_workspaces(costs, i, gradients[i].held + gradients[i].summed);
  }
}

void hold_inputs(const TrainingGraph& graph, CostTable& costs) {
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const std::optional<TaskId> last = graph.lifetimes[i].last_use;
    if (graph.tensors[i].role != TensorRole::kInput || !last) continue;
    if (last->at() >= graph.forward_tasks) continue;  // to the last backward task, nearly the end
    costs.held_inputs.push_back(make_id<TensorId>(i));
    costs.held.resize(graph.tasks.size());
    for (std::size_t task = 0; task < graph.tasks.size(); ++task) {
      costs.held[task].held += costs.tensor_bytes[i];
      add_to_workspaces(costs, task, costs.tensor_bytes[i]);
    }
  }
}

std::vector<Bytes> touched_bytes(const TrainingGraph& graph, const CostTable& costs) {
  std::vector<Bytes> bytes(graph.tasks.size());
  for_each_touch(graph, [&](TaskId task, TensorId tensor) {
    bytes[task.at()] += costs.tensor_bytes[tensor.at()];
  });
  return bytes;
}

void make_states_late(const TrainingGraph& graph, CostTable& costs) {
  const std::int64_t tensors =
      graph.optimizer == Optimizer::kAdam || graph.optimizer == Optimizer::kAdam8 ? 2 : 1;
  costs.first_states.resize(graph.tasks.size());
  for (std::size_t i = graph.backward_end; i < graph.tasks.size(); ++i) {
    if (graph.tasks[i].kind != TaskKind::kUpdate) continue;
    const LayerModel& layer = *graph.network->layers[graph.tasks[i].layer.at()].model;
    const std::int64_t bytes = state_bytes(graph.optimizer, graph.per_parameter, layer);
    if (bytes > 0) {
      costs.first_states[i].assign(static_cast<std::size_t>(tensors), Bytes(bytes / tensors));
    }
  }
}

CostTable with_nothing_held(CostTable costs) {
  for (std::size_t i = 0; i < costs.held.size(); ++i) {
    costs.static_bytes += costs.held[i].begun;
    add_to_workspaces(costs, i, Bytes(0) - costs.held[i].held);
  }
  costs.held.clear();
  costs.held_inputs.clear();
  costs.first_states.clear();
  return costs;
}

}  // namespace ooc
