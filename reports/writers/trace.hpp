// Timeline as a Chrome trace (JSON) for ui.perfetto.dev or chrome://tracing: a track for each
// queue, stalls with causes, GPU memory over time, and arrows from each copy to what waits for it.
#pragma once

#include <functional>
#include <string_view>

#include "model/cost/cost_table.hpp"
#include "model/graph/training_graph.hpp"
#include "reports/writers/writer.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

/// Receives the text piece by piece, in order.
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

/// Streams, so memory use does not grow with the number of steps.
void write_trace(const TraceInput& input, const TextSink& sink);

}  // namespace ooc
