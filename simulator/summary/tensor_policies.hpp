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
  /// kSwap: last layer whose forward task ends before the copy out starts. Unset: no such layer, or no copy out, as for
  /// network inputs, which the host has anyway.
  std::optional<LayerId> out_after;
  /// kSwap, kRecompute: layer during whose backward tasks the copy in or the rerun starts. Unset: before backward.
  std::optional<LayerId> back_at;
};

struct TensorPolicies {
  std::vector<TensorPolicy> needed;  ///< tensors that backward or reruns read, sorted by TensorId
  std::vector<TensorId> left_out;    ///< tensors that have copies which `needed` does not describe
};

/// Returns the plan's actions. Precondition: one device; no gradient accumulation, pages, compression or far model
/// states. A tensor that a rerun task writes in passing counts as recomputed, even if the plan also keeps it.
[[nodiscard]] TensorPolicies tensor_policies(const Plan& plan, const TrainingGraph& graph,
                                             const Timeline& timeline);

/// Returns all moves, sorted by the start of the copy out, or of the copy in if there is no copy out. Sums of devices
/// count as copies out, gathers as copies in.
[[nodiscard]] std::vector<MovedTensor> moved_tensors(const Plan& plan, const TrainingGraph& graph,
                                                     const CostTable& costs,
                                                     const Timeline& timeline);

}  // namespace ooc
