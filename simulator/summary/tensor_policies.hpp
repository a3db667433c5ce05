// What a plan does, between forward and backward, with each tensor that is needed again: for software that is to
// do the same (`--export-policy`, docs/policy.md).
#pragma once

#include <optional>
#include <vector>

#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/summary/run_report.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

struct TensorPolicy {
  TensorId tensor;
  TensorAction action = TensorAction::kKeep;
  /// kSwap: the forward task's layer that has ended when the copy out starts; none: at once, or a network input
  /// that is in far memory anyway.
  std::optional<LayerId> out_after;
  /// kSwap, kRecompute: the layer in whose backward the copy in starts, or which it is run again for; none: before
  /// backward begins.
  std::optional<LayerId> back_at;
};

struct TensorPolicies {
  std::vector<TensorPolicy>
      needed;  ///< what backward reads, or a task that runs again, by TensorId
  std::vector<TensorId>
      left_out;  ///< that are copied at other times than these: gradients, or within forward
};

/// Of a plan in one round on one device without pages, compression and state that moves. A tensor that a repeated
/// task writes beside the one it is run for counts as made again even where the plan has it near as well.
[[nodiscard]] TensorPolicies tensor_policies(const Plan& plan, const TrainingGraph& graph,
                                             const Timeline& timeline);

}  // namespace ooc
