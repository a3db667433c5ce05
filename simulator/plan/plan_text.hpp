// Text form of a plan, one line a step (docs/formats.md): `--export-plan`. The naive second
// simulator, fuzzers and replay read it, so it has all that a run needs: durations of compute
// simulator, fuzzers and replay read it. So the text has all that a run needs: durations of compute
//
//   ooc-paleo-plan 3
//   budget 4000000000            near memory, static bytes included
//   static 0                     always resident
//   duplex 1000000000            parts per billion: both directions at once run at this share; where
//                                the shares differ two lines: duplex_to_far 960000000 and
//                                duplex_to_near 500000000
//   initial 0:1000000000 data    block:bytes, then a name: resident before anything starts
//   step 0 compute compute time=50000000 waits=- takes=1:1000000000 frees=- name=conv1.forward
//   step 1 to_far to_far bytes=1000000000 latency=9000 rate=10000000000 waits=0 takes=- frees=1
//   name=...
//
// A step line has, in order: number in sequence order; queue ("compute", "to_far", "to_near",
// "far_compute"); kind (its queue, or "recompute"); times in ns, sizes in bytes, rates in bytes/s. Then follow lists
// separated by commas ("-": empty): steps that it waits for; blocks, with their bytes, that it
// takes at its start; blocks that it is a releaser of. A block is freed when its last releaser has
// ended. A compute step not run by the task's first algorithm has algorithm=winograd_nonfused or
// another name. The name is the rest of the line, with \\, \n and \r written out.
#pragma once

#include <string>
#include <string_view>

#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"

namespace ooc {

/// Returns the text. `budget`: GPU memory, static bytes included.
[[nodiscard]] std::string write_plan_text(const Plan& plan, const TrainingGraph& graph,
                                          const CostTable& costs, Bytes budget);

/// Returns the name of a queue and kind of step: "compute", "to_far", "to_near", "far_compute".
[[nodiscard]] std::string_view queue_name(StepKind kind);

/// Returns a name such as "conv1_1.forward", "to_far conv1_1", "to_near conv1_1", "exchange conv1_1".
[[nodiscard]] std::string step_name(const Plan& plan, const TrainingGraph& graph, StepId step);

}  // namespace ooc
