// Reports by layer, for predictions and inspections.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/cost/compute_cost.hpp"
#include "model/rewrite/data_parallel.hpp"
#include "model/rewrite/rounds.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

struct LayerReportInput {
  const TrainingGraph& graph;
  std::int64_t batch = 1;
  const CostTable* costs = nullptr;  ///< null: no times
  const Rounds* rounds = nullptr;    ///< null: no accumulation; else the plan is about its graph
  const DataParallel* devices = nullptr;  ///< null: one device; else layers are the first's
  const Plan* plan = nullptr;             ///< null: nothing moves, first alternatives
  const Timeline* timeline = nullptr;     ///< null: no stalls
  ComputeModel compute_model = ComputeModel::kNative;
};

/// Returns reports by layer, in the network's order.
[[nodiscard]] std::vector<LayerReport> layer_reports(const LayerReportInput& input);

}  // namespace ooc
