// Reports by layer, for predictions and inspections.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cost/compute_cost.hpp"
#include "model/rewrite/iteration.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

struct LayerReportInput {
  const TrainingGraph& graph;
  std::int64_t batch = 1;
  /// Iteration that the plan runs; null: reports have no times.
  const Iteration* about = nullptr;
  const Plan* plan = nullptr;  ///< null: reports have no actions, and times of first algorithms
  const Timeline* timeline = nullptr;  ///< null: reports have no stalls
  ComputeModel compute_model = ComputeModel::kNative;
};

/// Returns reports by layer, in the network's order.
[[nodiscard]] std::vector<LayerReport> layer_reports(const LayerReportInput& input);

}  // namespace ooc
