// Timeline from a device's measured times, with stalls and causes as the engine finds them, so that
// prediction and measurement can be compared cause by cause.
#pragma once

#include <vector>

#include "model/base/csr.hpp"
#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

struct MeasuredTimes {
  const Plan& plan;  ///< plan of one device
  const TrainingGraph& graph;
  const std::vector<Span>& spans;  ///< by step, from any common origin
  /// Steps that freed memory and that the device waited for beside the plan's waits.
  const Csr<StepId, StepId>& memory_waits;
};

/// * A device's events are read with a resolution: a step that seems to start before what it waited for
///   had ended is taken to start then. That shifts times by less than a microsecond, and afterwards
///   busy + stalls = iteration time holds to the nanosecond as it does for predictions.
/// * The gap before a compute step belongs to the plan's wait that ended last, then to the step that
///   freed its memory; what is left, in which nothing was waited for, is `launch`: queueing, events,
///   starting.
/// * peak_near follows from the spans: a block is taken when its step starts and freed when the last
///   step that uses it has ended.
[[nodiscard]] Timeline measured_timeline(const MeasuredTimes& times);

}  // namespace ooc
