// Prediction against measurement, as plain data for the writers of replays (docs/formats.md, 7).
// Errors are (predicted - measured) / measured, negative if the machine was slower.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/csr.hpp"
#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/summary/run_report.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

/// Measured run of a plan on a device.
struct MeasuredRun {
  struct Iteration {
    Duration time;   ///< time from the first start to the last end on the device
    Duration issue;  ///< host time to queue all steps
    Duration host;   ///< host time until all steps have ended
  };
  struct Step {
    Span span;        ///< start and end in the median iteration
    Duration median;  ///< median of its duration over all iterations
    Duration min;
    Duration max;
  };
  std::string device;   ///< such as "NVIDIA H200"
  std::string program;  ///< such as "ooc-paleo-gpu 0.1.0"
  std::string backend;  ///< "cuda", or "stub" for invented times
  std::vector<Iteration> iterations;
  std::vector<Step> steps;  ///< by step of the plan
  std::vector<std::string> notes;
  Bytes near_pool;  ///< size of the buffer in GPU memory that copies walk through
  Bytes far_pool;   ///< size of the pinned buffer in host memory that copies walk through
  /// Time of an empty kernel between two events, taken off each spinning step; 0: unknown.
  Duration spin_overhead;
};

/// Predicted value and measured value of one quantity.
template <class Value>
struct Compared {
  Value predicted{};
  Value measured{};
  [[nodiscard]] Value difference() const { return measured - predicted; }
};

struct ReplayStepReport {
  std::string queue;
  std::string kind;
  std::string name;
  Bytes bytes;  ///< bytes that the step copies; 0 for tasks
  Span predicted;
  Span measured;  ///< times in the median iteration
  Duration median;
  Duration min;
  Duration max;
  /// Returns the median duration minus the predicted one.
  [[nodiscard]] Duration deviation() const { return median - (predicted.end - predicted.start); }
};

/// Steps of one kind, summed over the median iteration.
struct ReplayWork {
  std::string_view name;  ///< "compute", "recompute", "to_far" or "to_near"
  std::size_t steps = 0;
  Compared<Duration> time;
  Bytes bytes;
  Duration longer;   ///< sum of times by which steps exceeded their predictions
  Duration shorter;  ///< sum of times by which steps fell short of predictions; <= 0
};

struct ReplayReport {
  RunInputs inputs;
  std::string mode;              ///< "spin" or "busy"
  bool imported = false;         ///< true: times read from a file (--import-measurements)
  MeasuredRun run;               ///< measured run without its steps: see `steps`
  Compared<Duration> iteration;  ///< predicted time, and median of all measured ones
  Duration min;                  ///< shortest measured iteration; `max`: longest
  Duration max;
  double error = 0;                 ///< (predicted - measured) / measured iteration time
  double spread = 0;                ///< (max - min) / median
  std::optional<double> tolerance;  ///< --tolerance: largest |error| allowed; unset: any
  [[nodiscard]] bool within_tolerance() const;

  /// Time of the median measured iteration; measured `busy` and `stalls` add up to it.
  Duration median_iteration;
  Compared<Duration> busy;
  std::array<Compared<Duration>, kStallCauses> stalls{};
  std::array<ReplayWork, 4> work{};

  Bytes budget;
  Bytes static_bytes;
  Compared<Bytes> peak_near;
  Duration issue;  ///< median host time to queue an iteration
  Duration host;   ///< median host time until an iteration has ended
  std::vector<std::string> assumed;
  std::vector<ReplayStepReport> steps;
};

struct ReplayInput {
  const RunInputs& inputs;
  std::string mode;
  bool imported = false;
  const TrainingGraph& graph;
  const CostTable& costs;
  const Plan& plan;
  const Timeline& predicted;
  const Timeline& measured;  ///< measured_timeline() of the run's spans
  MeasuredRun run;  ///< precondition: an iteration or more, and a step for each of the plan's
  std::optional<double> tolerance = {};
  std::vector<std::string> assumed = {};
};

[[nodiscard]] ReplayReport summarize_replay(ReplayInput input);

/// Returns indices of `steps`, largest |deviation| first, up to `count`, without zero deviations.
[[nodiscard]] std::vector<std::size_t> largest_deviations(const ReplayReport& report,
                                                          std::size_t count);

/// Returns bytes / time; unset if time is 0.
[[nodiscard]] std::optional<BytesPerSecond> average_rate(Bytes bytes, Duration time);

// Timeline from a device's measured times, with stalls and causes as the engine finds them, so that
// prediction and measurement can be compared cause by cause.

struct MeasuredTimes {
  const Plan& plan;  ///< plan of one device
  const TrainingGraph& graph;
  const std::vector<Span>& spans;  ///< by step, from any common origin
  /// By step: steps whose end freed memory for it. The device waited for these, besides the plan's waits.
  const Csr<StepId, StepId>& memory_waits;
};

/// Returns the timeline of the measured times:
/// * A device's events are read with a resolution: a step that seems to start before what it waited for had ended is
/// taken to start then. That shifts times by less than a microsecond, and afterwards busy + stalls = iteration time
/// holds to the nanosecond as it does for predictions.
/// * Idle time before a compute step is assigned to the plan's wait that ended last, then to the step that freed its
/// memory. The rest, in which nothing was waited for, is `launch`: queueing, events, starting.
/// * peak_near: a block is taken when its step starts and freed when the last step that uses it has ended.
[[nodiscard]] Timeline measured_timeline(const MeasuredTimes& times);

}  // namespace ooc
