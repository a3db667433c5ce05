#include "model/cost/freed_gradients.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace ooc {
namespace {

std::vector<HeldGradients> gradients_by_task(const TrainingGraph& graph) {
  std::vector<std::optional<Bytes>> to_come(graph.network->layers.size());  // by owner
  std::vector<std::optional<LayerId>> owner_of(graph.network->layers.size());
  for (const WeightUnit& unit : graph.network->units) {
    if (unit.is_frozen) continue;
    to_come[unit.owner.at()] = Bytes(unit.parameters * graph.per_parameter.gradient);
    owner_of[unit.owner.at()] = unit.owner;
    for (const LayerId tied : unit.tied) owner_of[tied.at()] = unit.owner;
  }
  std::vector<std::size_t> forward(graph.network->layers.size());  // by layer: its task
  for (std::size_t i = 0; i < graph.forward_tasks; ++i) forward[graph.tasks[i].layer.at()] = i;
  std::vector<HeldGradients> by_task(graph.tasks.size());
  Bytes held;
  std::size_t ahead = graph.forward_tasks;  // forward tasks before it have yet to be met
  for (std::size_t i = graph.forward_tasks; i < graph.tasks.size(); ++i) {
    const LayerId layer = graph.tasks[i].layer;
    for (; i < graph.backward_end && ahead > forward[layer.at()]; --ahead) {
      by_task[ahead - 1].held = held;
    }
    if (writes_weight_gradient(graph, graph.tasks[i]) && owner_of[layer.at()]) {
      std::optional<Bytes>& own = to_come[owner_of[layer.at()]->at()];
      by_task[i].begun = own.value_or(Bytes(0));
      own = Bytes(0);
    }
    held += by_task[i].begun;
    by_task[i].held = held;
  }
  for (; ahead > 0; --ahead) by_task[ahead - 1].held = held;
  return by_task;
}

void add_to_workspaces(CostTable& costs, std::int64_t times) {
  for (std::size_t i = 0; i < costs.gradients.size(); ++i) {
    const auto end = static_cast<std::size_t>(costs.first_alternative[i + 1]);
    for (auto way = static_cast<std::size_t>(costs.first_alternative[i]); way < end; ++way) {
      costs.alternatives[way].workspace += costs.gradients[i].held * times;
    }
  }
}

}  // namespace

void free_gradients(const TrainingGraph& graph, CostTable& costs) {
  costs.gradients = gradients_by_task(graph);
  costs.static_bytes -= costs.gradients.back().held;
  add_to_workspaces(costs, 1);
}

CostTable with_static_gradients(CostTable costs) {
  if (costs.gradients.empty()) return costs;
  add_to_workspaces(costs, -1);
  costs.static_bytes += costs.gradients.back().held;
  costs.gradients.clear();
  return costs;
}

}  // namespace ooc
