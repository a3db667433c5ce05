// Footprints of model/graph/liveness.hpp at a batch, with the workspaces that liveness does not
// know.
#include "simulator/summary/in_core_peak.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/graph/liveness.hpp"

namespace ooc {
namespace {

bool has_lifetimes(Accounting accounting) {
  return accounting == Accounting::kLiveness || accounting == Accounting::kDefineByRun;
}

Bytes peak_with_workspace(const TrainingGraph& graph, std::int64_t batch, Accounting accounting,
                          const std::vector<Bytes>& workspace_of_task, Bytes fixed_bytes) {
  Bytes dynamic{0};
  if (has_lifetimes(accounting)) {
    const std::vector<std::int64_t> live = live_bytes_per_sample(graph);
    const std::vector<std::int64_t> fixed = live_bytes_fixed(graph);
    for (std::size_t task = 0; task < live.size(); ++task) {
      dynamic = std::max(dynamic,
                         Bytes(live[task]) * batch + Bytes(fixed[task]) + workspace_of_task[task]);
    }
  } else {
    dynamic = Bytes(footprint_per_sample(graph, accounting)) * batch;
    if (!workspace_of_task.empty()) {
      dynamic += *std::max_element(workspace_of_task.begin(), workspace_of_task.end());
    }
  }
  return dynamic + fixed_bytes;
}

}  // namespace

Bytes in_core_peak(const TrainingGraph& graph, const CostTable& costs, Accounting accounting) {
  std::vector<Bytes> workspace;
  workspace.reserve(graph.tasks.size());
  for (std::size_t task = 0; task < graph.tasks.size(); ++task) {
    workspace.push_back(costs[costs.default_alternative(make_id<TaskId>(task))].workspace);
  }
  return peak_with_workspace(graph, costs.batch, accounting, workspace, costs.static_bytes);
}

}  // namespace ooc
