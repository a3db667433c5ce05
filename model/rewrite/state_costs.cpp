// What tasks take and tensors are where state moves: the network's own costs, and those of what runs far.
#include <array>

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
    const std::size_t added = planned.alternatives.size();
    planned.add_task(costs.alternatives_of(state.task_of[i]));
    const bool anywhere = booking == Booking::kAnywhere && i < state.planned.backward_end;
    for (std::size_t at = added; at < planned.alternatives.size(); ++at) {
      TaskAlternative& way = planned.alternatives[at];
      if (booking != Booking::kNone) {
        way.workspace += anywhere ? state.booked_anywhere : state.booked[i];
      }
      if (const Ratio share = state.share[i]; share != kOne) {
        way.time = Duration(share_of(way.time.count(), share));
        way.seconds *= static_cast<double>(share.count()) / static_cast<double>(kOne.count());
      }
    }
  }
  planned.transfers = costs.transfers;
  return planned;
}

CostTable moving_costs(const MovingState& state, const CostTable& costs, const FarCompute& far) {
  CostTable moving = planned_costs(state, costs, Booking::kNone);
  for (const std::int64_t bytes : state.far_bytes) {
    const Duration time = far.latency + transfer_time(Bytes(bytes), far.throughput);
    moving.add_task(
        std::array{TaskAlternative{.algorithm = Algorithm::kDefault,
                                   .time = time,
                                   .workspace = Bytes(0),
                                   .seconds = static_cast<double>(time.count()) / 1e9}});
  }
  for (std::size_t i = moving.tensor_bytes.size(); i < state.graph.tensors.size(); ++i) {
    moving.tensor_bytes.push_back(Bytes(state.graph.tensors[i].bytes_fixed));
  }
  moving.transfers = {};
  return moving;
}

}  // namespace ooc
