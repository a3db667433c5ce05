// Timeline as a Chrome trace (JSON) for ui.perfetto.dev or chrome://tracing: a track a queue, stalls with causes,
// memory over time, and arrows from copies in to tasks that wait for them and from tasks to copies out of results.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "reports/writers/writer.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/summary/tensor_policies.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

/// Function that receives a text piece by piece, in order.
using TextSink = std::function<void(std::string_view)>;

struct TraceInput {
  const RunInputs& inputs;
  const ToolInfo& tool;
  const TrainingGraph& graph;
  const CostTable& costs;
  const Plan& plan;
  const Timeline& timeline;
  /// Measured times of the same steps (replay), drawn below on further tracks; null: none.
  const Timeline* measured = nullptr;
};

/// Writes the trace piece by piece: no text of the whole is kept. Precondition: Timeline::events are recorded.
void write_trace(const TraceInput& input, const TextSink& sink);

// GPU memory of a run for PyTorch's memory viewer (pytorch.org/memory_viz): a pickle in the form of
// torch.cuda.memory._snapshot().

/// Returns the pickle. Each block is allocated when its step starts and freed when its last releaser ends
/// (Timeline::events, which must be recorded); one segment. Addresses are ours: the lowest free. A frame names the
/// tensor or the task; categories are those of torch.profiler's memory timeline. Times are microseconds.
[[nodiscard]] std::string memory_snapshot(const TraceInput& input);

// Plan for other software: action on each tensor between forward and backward, by name
// (docs/policy.md, schema networks/policy.schema.json).

struct PolicyInput {
  const RunInputs& inputs;
  const ToolInfo& tool;
  const TrainingGraph& graph;
  const CostTable& costs;
  const TensorPolicies& policies;
};

/// Returns the policy as JSON with a final newline.
[[nodiscard]] std::string policy_json(const PolicyInput& input);

// Timeline for the page of a report: JSON by columns, a tenth of a trace's
// text, so that 20,000 steps fit a small page.

/// Returns JSON of steps, stalls and GPU memory (Timeline::events), without a final newline.
[[nodiscard]] std::string timeline_data(const TraceInput& input);

}  // namespace ooc
