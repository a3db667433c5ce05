// Timing analysis of the task graph (Janssen, Zolotov, Le: Large Data Flow Graphs in Limited GPU
// Memory, "Timing analysis"): arrival and required times under a unit-delay model, slack of every
// data-flow edge; and the critical path under real durations.
#pragma once

#include <cstdint>
#include <vector>

#include "model/base/units.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

/// One data-flow edge: `to` reads what `from` was the last to write before it.
struct FlowEdge {
  TaskId from;
  TaskId to;
  TensorId tensor;
  /// required(to) - arrival(from), in unit delays: how long the value waits for its reader.
  std::int32_t slack = 0;
};

struct TimingAnalysis {
  std::vector<std::int32_t>
      required;  ///< TRT by task: largest arrival time of its inputs, 0 without
  std::vector<std::int32_t> arrival;  ///< TAT by task: required + 1
  std::vector<FlowEdge> edges;        ///< by `to`, then in the order of its reads
};

[[nodiscard]] TimingAnalysis analyse_timing(const TrainingGraph& graph);

/// Length of the longest path through the task graph when task i lasts durations[i]: no machine
/// with any number of compute queues is faster.
[[nodiscard]] Duration critical_path(const TrainingGraph& graph,
                                     const std::vector<Duration>& durations);

}  // namespace ooc
