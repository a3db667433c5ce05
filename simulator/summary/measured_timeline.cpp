// Puts measured spans in order, then walks the compute queue as the engine does and lets the engine's
// own StallRecorder name the causes.
#include "simulator/summary/measured_timeline.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "model/base/errors.hpp"
#include "simulator/summary/memory_use.hpp"
#include "simulator/timeline/stalls.hpp"

namespace ooc {
namespace {

class MeasuredWalk {
 public:
  explicit MeasuredWalk(const MeasuredTimes& times) : in_(times), plan_(times.plan) {
    timeline_.spans = times.spans;
  }

  Timeline run() {
    from_zero();
    put_in_order();
    Duration end{0};
    for (const Span& span : timeline_.spans) end = std::max(end, span.end);
    timeline_.iteration_time = end;
    walk_compute();
    timeline_.events = events_of(timeline_.spans);
    const auto samples = near_memory_over_time(plan_, in_.graph, timeline_);
    for (const MemorySample& sample : samples.front()) {
      timeline_.peak_near = std::max(timeline_.peak_near, sample.held.total());
    }
    return std::move(timeline_);
  }

 private:
  [[nodiscard]] Duration end_of(StepId step) const { return timeline_.spans[step.at()].end; }

  void from_zero() {
    if (timeline_.spans.empty()) return;
    Duration first = timeline_.spans.front().start;
    for (const Span& span : timeline_.spans) first = std::min(first, span.start);
    for (Span& span : timeline_.spans) {
      span.start -= first;
      span.end -= first;
    }
  }

  // Queue by queue as far as their waits allow: no order of all steps is needed.
  void put_in_order() {
    std::vector<bool> placed(plan_.steps.size(), false);
    std::vector<std::size_t> heads(plan_.queues.size(), 0);
    std::size_t left = plan_.steps.size();
    const auto is_placed = [&](StepId step) { return placed[step.at()]; };
    while (left > 0) {
      const std::size_t before = left;
      for (std::size_t queue = 0; queue < plan_.queues.size(); ++queue) {
        const std::vector<StepId>& steps = plan_.queues[queue];
        for (std::size_t& head = heads[queue]; head < steps.size(); ++head, --left) {
          const StepId step = steps[head];
          const auto waits = plan_.waits[step];
          const auto memory = in_.memory_waits[step];
          if (!std::all_of(waits.begin(), waits.end(), is_placed) ||
              !std::all_of(memory.begin(), memory.end(), is_placed)) {
            break;
          }
          place(step, head == 0 ? std::nullopt : std::optional(steps[head - 1]));
          placed[step.at()] = true;
        }
      }
      OOC_CHECK(left < before, "a plan that ran waits for nothing that comes later");
    }
  }

  void place(StepId step, std::optional<StepId> before) {
    Span& span = timeline_.spans[step.at()];
    if (before) span.start = std::max(span.start, end_of(*before));
    for (const StepId wait : plan_.waits[step]) span.start = std::max(span.start, end_of(wait));
    for (const StepId wait : in_.memory_waits[step]) {
      span.start = std::max(span.start, end_of(wait));
    }
    span.end = std::max(span.end, span.start);
  }

  void walk_compute() {
    StallRecorder recorder(plan_, timeline_);
    const auto queue = static_cast<std::size_t>(queue_index(0, StepKind::kCompute));
    std::int64_t now = 0;
    if (queue < plan_.queued.size()) {
      const std::vector<QueuedStep>& steps = plan_.queued[queue];
      for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::optional<StepId> next =
            i + 1 < steps.size() ? std::optional(steps[i + 1].step) : std::nullopt;
        now = walk_step(recorder, steps[i], next, now);
      }
    }
    recorder.tail(0, now, timeline_.iteration_time.count());
  }

  std::int64_t walk_step(StallRecorder& recorder, const QueuedStep& queued,
                         std::optional<StepId> next, std::int64_t now) {
    const StepId step = queued.step;
    const Span span = timeline_.spans[step.at()];
    std::int64_t ready = now;
    for (const StepId wait : plan_.waits[step]) ready = std::max(ready, end_of(wait).count());
    std::int64_t fits = ready;
    std::optional<StepId> releaser;
    for (const StepId wait : in_.memory_waits[step]) {
      if (end_of(wait).count() <= fits) continue;
      fits = end_of(wait).count();
      releaser = wait;
    }
    recorder.gap({.step = queued,
                  .device = 0,
                  .from = now,
                  .ready = ready,
                  .start = fits,
                  .releaser = releaser});
    launch(step, Duration(fits), span.start);
    if (queued.recompute) {
      recorder.recompute(0, step, next, span.start.count(), span.end.count());
    } else {
      timeline_.busy += span.end - span.start;
    }
    return span.end.count();
  }

  void launch(StepId before, Duration from, Duration to) {
    if (from == to) return;
    timeline_.stalls.push_back({.cause = StallCause::kLaunch,
                                .device = 0,
                                .before = before,
                                .culprit = std::nullopt,
                                .start = from,
                                .end = to});
    timeline_.stall_totals[static_cast<std::size_t>(StallCause::kLaunch)] += to - from;
  }

  const MeasuredTimes& in_;
  const Plan& plan_;
  Timeline timeline_;
};

}  // namespace

Timeline measured_timeline(const MeasuredTimes& times) {
  OOC_CHECK(times.plan.devices == 1, "plans are replayed on one device");
  OOC_CHECK(times.spans.size() == times.plan.steps.size(), "a span for each step");
  return MeasuredWalk(times).run();
}

}  // namespace ooc
