// The per-layer part of the reports, shared by predictions and inspections.
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
  const CostTable* costs = nullptr;       ///< null: no times
  const Rounds* rounds = nullptr;         ///< what the plan is about; null: `graph` and `costs`
  const DataParallel* devices = nullptr;  ///< likewise; the layers are the first device's
  const Plan* plan = nullptr;             ///< null: nothing moves, default alternatives
  const Timeline* timeline = nullptr;     ///< null: no stalls
  ComputeModel compute_model = ComputeModel::kNative;
};

/// By layer, in the network's order.
[[nodiscard]] std::vector<LayerReport> layer_reports(const LayerReportInput& input);

}  // namespace ooc
