// What tasks take and tensors are where state moves: the network's own costs, and those of what runs far.
#include "model/rewrite/share_of.hpp"
#include "model/rewrite/state.hpp"

namespace ooc {

CostTable planned_costs(const MovingState& state, const CostTable& costs, Booking booking) {
  CostTable planned;
  planned.batch = costs.batch;
  planned.tensor_bytes = costs.tensor_bytes;
  planned.static_bytes = costs.static_bytes;
  const TrainingGraph& graph = state.graph;
  for (const StateUnit& unit : state.units) {
    for (const auto& tensor : {unit.weight, unit.gradient, unit.state}) {
      if (!tensor || graph.tensors[tensor->at()].home == TensorHome::kStatic) continue;
      planned.static_bytes -= Bytes(graph.tensors[tensor->at()].bytes_fixed);
    }
  }
  for (std::size_t i = 0; i < state.planned.tasks.size(); ++i) {
    planned.first_alternative.push_back(static_cast<std::int32_t>(planned.alternatives.size()));
    const bool anywhere = booking == Booking::kAnywhere && i < state.planned.backward_end;
    for (TaskAlternative way : costs.alternatives_of(state.task_of[i])) {
      way.workspace += anywhere ? state.booked_anywhere : state.booked[i];
      if (const Ratio share = state.share[i]; share != kOne) {
        way.time = Duration(share_of(way.time.count(), share));
        way.seconds *= static_cast<double>(share.count()) / static_cast<double>(kOne.count());
      }
      planned.alternatives.push_back(way);
    }
  }
  planned.first_alternative.push_back(static_cast<std::int32_t>(planned.alternatives.size()));
  planned.transfers = costs.transfers;
  return planned;
}

CostTable moving_costs(const MovingState& state, const CostTable& costs, const FarCompute& far) {
  CostTable moving = planned_costs(state, costs, Booking::kByTask);
  for (std::size_t i = 0; i < state.planned.tasks.size(); ++i) {
    const auto own = costs.alternatives_of(state.task_of[i]);
    for (std::size_t way = 0; way < own.size(); ++way) {
      const auto at = static_cast<std::size_t>(moving.first_alternative[i]) + way;
      moving.alternatives[at].workspace = own[way].workspace;
    }
  }
  moving.first_alternative.pop_back();
  for (const std::int64_t bytes : state.far_bytes) {
    moving.first_alternative.push_back(static_cast<std::int32_t>(moving.alternatives.size()));
    const Duration time = far.latency + transfer_time(Bytes(bytes), far.throughput);
    moving.alternatives.push_back({.algorithm = Algorithm::kDefault,
                                   .time = time,
                                   .workspace = Bytes(0),
                                   .seconds = static_cast<double>(time.count()) / 1e9});
  }
  moving.first_alternative.push_back(static_cast<std::int32_t>(moving.alternatives.size()));
  for (std::size_t i = moving.tensor_bytes.size(); i < state.graph.tensors.size(); ++i) {
    moving.tensor_bytes.push_back(Bytes(state.graph.tensors[i].bytes_fixed));
  }
  moving.transfers = {};
  return moving;
}

}  // namespace ooc
