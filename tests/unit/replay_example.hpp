// The run of reports_example.hpp as a device might have measured it, by hand (us, from its first start):
//
//   compute  aF 0-52 | starts 2 | bF 54-104 | cF 104-154 | cB 154-254 | bB 254-354 | waits 116 | starts 3 | aB 473-573
//   to_far   a 52-262                       to_near  a 262-470
//
// Against the prediction: aF 2 longer, the copy out 10, the copy in 8; 16 more of waiting for copies in and
// 5 for starting steps; 573 instead of 550 in all.
#pragma once

#include <utility>
#include <vector>

#include "simulator/summary/replay_report.hpp"
#include "tests/unit/reports_example.hpp"

namespace ooc::test {

using Waits = std::vector<std::pair<StepId, StepId>>;

struct MeasuredExample {
  Example example;
  // Steps: 0 aF, 1 to_far a, 2 bF, 3 cF, 4 cB, 5 to_near a, 6 bB, 7 aB; ten us after some instant.
  std::vector<std::pair<int, int>> spans_us{{10, 62},   {62, 272},  {64, 114},  {114, 164},
                                            {164, 264}, {272, 480}, {264, 364}, {483, 583}};
  std::vector<int> iterations_us{573, 590, 570};
  Waits memory_waits;

  [[nodiscard]] std::vector<Span> spans() const {
    std::vector<Span> spans;
    for (const auto& [start, end] : spans_us) spans.push_back({us(start), us(end)});
    return spans;
  }
  [[nodiscard]] Timeline timeline() const {
    return measured_timeline({.plan = example.the_plan(),
                              .graph = example.graph,
                              .spans = spans(),
                              .memory_waits = Csr<StepId, StepId>(spans_us.size(), memory_waits)});
  }
  [[nodiscard]] MeasuredRun run() const {
    MeasuredRun run;
    run.device = "Hand, \"made\"";
    run.program = "ooc-paleo-gpu 0.1.0";
    run.backend = "cuda";
    for (const int time : iterations_us) run.iterations.push_back({us(time), us(4), us(time + 9)});
    for (const Span& span : spans()) {
      const Duration length = span.end - span.start;
      run.steps.push_back({span, length, length - us(1), length + us(1)});
    }
    run.near_pool = Bytes(4200);
    run.far_pool = Bytes(1024);
    return run;
  }
  [[nodiscard]] ReplayReport report(std::optional<double> tolerance = {}) const {
    const Timeline measured = timeline();
    return summarize_replay({.inputs = example.inputs,
                             .mode = "spin",
                             .imported = false,
                             .graph = example.graph,
                             .costs = example.costs,
                             .plan = example.the_plan(),
                             .predicted = example.timeline(),
                             .measured = measured,
                             .run = run(),
                             .tolerance = tolerance,
                             .assumed = {}});
  }
};

inline Duration stall_of(const Timeline& timeline, StallCause cause) {
  return timeline.stall_totals[static_cast<std::size_t>(cause)];
}

}  // namespace ooc::test
