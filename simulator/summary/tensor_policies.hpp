// Action of a plan on each saved tensor between forward and backward, so that other software can do
// the same (`--export-policy`, docs/policy.md).
#pragma once

#include <optional>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/summary/run_report.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

struct TensorPolicy {
  TensorId tensor;
  TensorAction action = TensorAction::kKeep;
  /// kSwap: layer whose forward task ends before the copy out starts. Unset: no such layer, or a
  /// network input, which the host has anyway.
  std::optional<LayerId> out_after;
  /// kSwap, kRecompute: layer whose backward starts the copy in or the rerun; unset: before
  /// backward begins.
  std::optional<LayerId> back_at;
};

struct TensorPolicies {
  std::vector<TensorPolicy> needed;  ///< tensors that backward or a rerun task reads, by TensorId
  std::vector<TensorId> left_out;    ///< tensors with other moves: gradients, or within forward
};

/// Returns the actions. Precondition: one device; no gradient accumulation, pages, compression or model states in host
/// memory. A tensor that a rerun task writes besides its purpose counts as recomputed, even if the plan also keeps it.
[[nodiscard]] TensorPolicies tensor_policies(const Plan& plan, const TrainingGraph& graph,
                                             const Timeline& timeline);

/// Returns the moves, in the order of their copies out (or in, if none goes out). What devices sum goes out, what they
/// gather comes in.
[[nodiscard]] std::vector<MovedTensor> moved_tensors(const Plan& plan, const TrainingGraph& graph,
                                                     const CostTable& costs,
                                                     const Timeline& timeline);

}  // namespace ooc
