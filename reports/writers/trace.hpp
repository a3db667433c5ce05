// A timeline as a Chrome trace (JSON), for ui.perfetto.dev or chrome://tracing: one track per
// queue, the stalls with their causes, near memory over time, and arrows from each copy to what
// waits for it.
#pragma once

#include <functional>
#include <string_view>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "reports/writers/writer.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

/// Takes the text piece by piece, in order.
using TextSink = std::function<void(std::string_view)>;

struct TraceInput {
  const RunInputs& inputs;
  const ToolInfo& tool;
  const TrainingGraph& graph;
  const CostTable& costs;
  const Plan& plan;
  const Timeline& timeline;
  /// A replay's: the same plan's steps as they were measured, drawn below on tracks of its own.
  const Timeline* measured = nullptr;
};

/// Streams: memory use does not grow with the text, whatever the number of steps.
void write_trace(const TraceInput& input, const TextSink& sink);

}  // namespace ooc
