// Plan for other software: action on each tensor between forward and backward, by name
// (docs/policy.md, schema networks/policy.schema.json).
#pragma once

#include <string>

#include "model/cost/cost_table.hpp"
#include "reports/writers/writer.hpp"
#include "simulator/summary/tensor_policies.hpp"

namespace ooc {

struct PolicyInput {
  const RunInputs& inputs;
  const ToolInfo& tool;
  const TrainingGraph& graph;
  const CostTable& costs;
  const TensorPolicies& policies;
};

/// Returns JSON with a final newline.
[[nodiscard]] std::string policy_json(const PolicyInput& input);

}  // namespace ooc
