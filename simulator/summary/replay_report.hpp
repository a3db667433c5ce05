// Predicted against measured, as plain data: everything that the writers print of a replay
// (docs/formats.md, 7). Errors are (predicted - measured) / measured: negative where the machine was
// slower than predicted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/summary/run_report.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

/// What a device did, whoever measured it.
struct MeasuredRun {
  struct Iteration {
    Duration time;   ///< on the device
    Duration issue;  ///< host time for queueing everything
    Duration host;   ///< host time until all was over
  };
  struct Step {
    Span span;        ///< in the median iteration
    Duration median;  ///< of its duration over all iterations
    Duration min;
    Duration max;
  };
  std::string device;   ///< "NVIDIA H200"
  std::string program;  ///< "ooc-paleo-gpu 0.1.0"
  std::string backend;  ///< "cuda"; "stub": invented times
  std::vector<Iteration> iterations;
  std::vector<Step> steps;
  std::vector<std::string> notes;
  Bytes near_pool;  ///< allocated for copies to walk through
  Bytes far_pool;
  Duration spin_overhead;
};

/// A number twice.
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
  Bytes bytes;  ///< copies
  Span predicted;
  Span measured;  ///< in the median iteration
  Duration median;
  Duration min;
  Duration max;
  /// Median duration less the predicted one.
  [[nodiscard]] Duration deviation() const { return median - (predicted.end - predicted.start); }
};

/// A kind of work summed over its steps, in the median iteration.
struct ReplayWork {
  std::string_view name;  ///< "compute", "recompute", "to_far", "to_near"
  std::size_t steps = 0;
  Compared<Duration> time;
  Bytes bytes;
  Duration longer;   ///< sum over the steps that took longer than predicted
  Duration shorter;  ///< over those that took less
};

struct ReplayReport {
  RunInputs inputs;
  std::string mode;  ///< "spin" or "busy"
  bool imported = false;
  MeasuredRun run;               ///< its steps are moved to `steps`
  Compared<Duration> iteration;  ///< predicted; median of all measured
  Duration min;
  Duration max;
  double error = 0;   ///< of the iteration time
  double spread = 0;  ///< (max - min) / median
  std::optional<double> tolerance;
  [[nodiscard]] bool within_tolerance() const;

  /// Busy + stalls = the iteration time, predicted, and of the median iteration.
  Duration median_iteration;
  Compared<Duration> busy;
  std::array<Compared<Duration>, kStallCauses> stalls{};
  std::array<ReplayWork, 4> work{};

  Bytes budget;
  Bytes static_bytes;
  Compared<Bytes> peak_near;
  Duration issue;  ///< median host time for queueing an iteration
  Duration host;   ///< median host time of an iteration
  std::vector<std::string> assumed;
  std::vector<ReplayStepReport> steps;  ///< all
  bool show_steps = false;
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
  MeasuredRun run;           ///< at least one iteration, a step for each of the plan
  std::optional<double> tolerance = {};
  std::vector<std::string> assumed = {};
  bool show_steps = false;
};

[[nodiscard]] ReplayReport summarize_replay(ReplayInput input);

/// Indices of `steps`: largest deviation first, up to `count`, none without deviation.
[[nodiscard]] std::vector<std::size_t> largest_deviations(const ReplayReport& report,
                                                          std::size_t count);

/// Bytes over time; none for no time.
[[nodiscard]] std::optional<BytesPerSecond> average_rate(Bytes bytes, Duration time);

}  // namespace ooc
