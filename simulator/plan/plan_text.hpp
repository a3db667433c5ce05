// The text form of a plan, one line a step (docs/formats.md): `--export-plan`. The naive second
// simulator, the fuzzers and replay share it, so it holds all that running it takes: durations of
// computes, bytes, latencies and rates of copies, block sizes, who frees what.
//
//   ooc-paleo-plan 1
//   budget 4000000000            near memory of each device, static bytes included
//   static 0                     always resident on each device
//   devices 1
//   duplex 1000000000            parts per billion: both directions at once run at this share; where
//                                the shares differ two lines: duplex_to_far 960000000 and
//                                duplex_to_near 500000000
//   peak_to_far 10000000000      bytes/s of the link as a whole, shared by the devices; or "inf"
//   peak_to_near 10000000000
//   initial 0:1000000000@0 data  block:bytes@device, then a name: resident before anything starts
//   step 0 compute compute time=50000000 waits=- takes=1:1000000000 frees=- name=conv1.forward
//   step 1 to_far to_far bytes=1000000000 latency=9000 rate=10000000000 waits=0 takes=- frees=1
//   name=...
//
// A step line: number in sequence order, queue ("compute", "to_far", "to_near", "far_compute"; ".1" and so on
// appended for further devices), kind ("compute", "recompute", "to_far", "to_near", "far_compute"), times in ns,
// sizes in bytes, rates in bytes/s, then lists separated by commas ("-": empty): the steps it waits
// for, the blocks with their bytes that it takes when it starts, and the blocks of which it is a
// releaser: a block is freed when the last of its releasers has ended; for a compute that is not run
// the task's first way, algorithm=winograd_nonfused or another name. The name is the rest of the line,
// with \\, \n and \r written out.
#pragma once

#include <string>
#include <string_view>

#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"

namespace ooc {

/// `budget` is the whole near-memory budget, static bytes included.
[[nodiscard]] std::string write_plan_text(const Plan& plan, const TrainingGraph& graph,
                                          const CostTable& costs, Bytes budget);

/// "compute", "to_far", "to_near", "far_compute": the queue of a first device, and what steps on it do.
[[nodiscard]] std::string_view queue_name(StepKind kind);

/// "conv1_1.forward", "to_far conv1_1", "to_near conv1_1".
[[nodiscard]] std::string step_name(const Plan& plan, const TrainingGraph& graph, StepId step);

}  // namespace ooc
