// The text form of a plan, one line a step (docs/formats.md): `--export-plan`. The naive second
// simulator, the fuzzers and replay share it, so it holds all that running it takes: durations of
// computes, bytes, latencies and rates of copies, block sizes, who frees what.
#pragma once

#include <string>

#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"

namespace ooc {

/// `budget` is the whole near-memory budget, static bytes included.
[[nodiscard]] std::string write_plan_text(const Plan& plan, const TrainingGraph& graph,
                                          const CostTable& costs, Bytes budget);

/// "conv1_1.forward", "to_far conv1_1", "to_near conv1_1".
[[nodiscard]] std::string step_name(const Plan& plan, const TrainingGraph& graph, StepId step);

}  // namespace ooc
