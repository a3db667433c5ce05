// Works out what predicted and measured differ in. Sums are over the iteration whose time is the
// median one, because only within one iteration do busy time and stalls add up; the deviation of a
// single step is that of its median duration, which one interrupt cannot shift.
#include "simulator/summary/replay_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "model/base/errors.hpp"
#include "simulator/plan/plan_text.hpp"
#include "simulator/summary/memory_use.hpp"

namespace ooc {
namespace {

constexpr std::array<std::string_view, 4> kWorkNames{"compute", "recompute", "to_far", "to_near"};

std::size_t work_of(const Step& step) {
  switch (step.kind) {
    case StepKind::kCompute:
      return step.recompute ? 1 : 0;
    case StepKind::kToFar:
      return 2;
    case StepKind::kToNear:
      return 3;
    case StepKind::kFarCompute:  // refused before
      break;
  }
  return 0;
}

template <class Item>
Duration median_by(const std::vector<Item>& items, Duration Item::*member) {
  std::vector<std::int64_t> values;
  values.reserve(items.size());
  for (const Item& item : items) values.push_back((item.*member).count());
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return Duration(values[middle]);
  return Duration(values[middle - 1] + (values[middle] - values[middle - 1]) / 2);
}

void add_iterations(ReplayReport& report, const Timeline& predicted) {
  const std::vector<MeasuredRun::Iteration>& all = report.run.iterations;
  OOC_CHECK(!all.empty(), "a run has at least one iteration");
  report.iteration = {predicted.iteration_time, median_by(all, &MeasuredRun::Iteration::time)};
  report.issue = median_by(all, &MeasuredRun::Iteration::issue);
  report.host = median_by(all, &MeasuredRun::Iteration::host);
  const auto [least, most] = std::ranges::minmax_element(all, {}, &MeasuredRun::Iteration::time);
  report.min = least->time;
  report.max = most->time;
  report.spread = share_of(report.max - report.min, report.iteration.measured);
  report.error =
      share_of(report.iteration.predicted - report.iteration.measured, report.iteration.measured);
}

void add_causes(ReplayReport& report, const Timeline& predicted, const Timeline& measured) {
  report.median_iteration = measured.iteration_time;
  report.busy = {predicted.busy, measured.busy};
  for (std::size_t i = 0; i < kStallCauses; ++i) {
    report.stalls[i] = {predicted.stall_totals[i], measured.stall_totals[i]};
  }
}

void add_steps(ReplayReport& report, const ReplayInput& input) {
  OOC_CHECK(report.run.steps.size() == input.plan.steps.size(), "a measured time for each step");
  for (std::size_t i = 0; i < kWorkNames.size(); ++i) report.work[i].name = kWorkNames[i];
  for (std::size_t i = 0; i < input.plan.steps.size(); ++i) {
    const Step& step = input.plan.steps[i];
    const std::size_t kind = work_of(step);
    ReplayStepReport row;
    row.kind = kWorkNames[kind];
    row.queue = kind == 1 ? kWorkNames[0] : kWorkNames[kind];
    row.name = step_name(input.plan, input.graph, make_id<StepId>(i));
    row.predicted = input.predicted.spans[i];
    row.measured = input.measured.spans[i];
    row.median = report.run.steps[i].median;
    row.min = report.run.steps[i].min;
    row.max = report.run.steps[i].max;
    if (step.kind != StepKind::kCompute) {
      row.bytes = input.costs.tensor_bytes[static_cast<std::size_t>(step.object)];
    }
    ReplayWork& work = report.work[kind];
    ++work.steps;
    work.bytes += row.bytes;
    const Compared<Duration> time{row.predicted.end - row.predicted.start,
                                  row.measured.end - row.measured.start};
    work.time.predicted += time.predicted;
    work.time.measured += time.measured;
    (time.difference() > Duration(0) ? work.longer : work.shorter) += time.difference();
    report.steps.push_back(std::move(row));
  }
}

}  // namespace

bool ReplayReport::within_tolerance() const {
  return !tolerance.has_value() || std::abs(error) <= *tolerance;
}

ReplayReport summarize_replay(ReplayInput input) {
  ReplayReport report;
  report.inputs = input.inputs;
  report.mode = std::move(input.mode);
  report.imported = input.imported;
  report.run = std::move(input.run);
  report.tolerance = input.tolerance;
  add_iterations(report, input.predicted);
  add_causes(report, input.predicted, input.measured);
  add_steps(report, input);
  report.run.steps.clear();
  report.budget = input.inputs.memory;
  report.static_bytes = input.plan.static_bytes;
  report.peak_near = {input.predicted.peak_near, input.measured.peak_near};
  report.assumed = std::move(input.assumed);
  return report;
}

std::vector<std::size_t> largest_deviations(const ReplayReport& report, std::size_t count) {
  const auto size_of = [&](std::size_t i) { return std::abs(report.steps[i].deviation().count()); };
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < report.steps.size(); ++i) {
    if (size_of(i) > 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::ranges::greater(), size_of);
  if (order.size() > count) order.resize(count);
  return order;
}

std::optional<BytesPerSecond> average_rate(Bytes bytes, Duration time) {
  if (time.count() <= 0) return std::nullopt;
  const Int128 rate = Int128{bytes.count()} * 1'000'000'000 / time.count();
  return BytesPerSecond(static_cast<std::int64_t>(std::min<Int128>(rate, kMaxRate.count())));
}

// Puts measured spans in order, then walks the compute queue as the engine does and lets the engine's
// own StallRecorder name the causes.

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
    for (const MemorySample& sample : near_memory_over_time(plan_, in_.graph, timeline_)) {
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
          if (!std::ranges::all_of(waits, is_placed) || !std::ranges::all_of(memory, is_placed)) {
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
    const std::vector<QueuedStep>& steps = plan_.queued[queue_index(StepKind::kCompute)];
    std::int64_t now = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::optional<StepId> next =
          i + 1 < steps.size() ? std::optional(steps[i + 1].step) : std::nullopt;
      now = walk_step(recorder, steps[i], next, now);
    }
    recorder.tail(now, timeline_.iteration_time.count());
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
    recorder.gap(
        {.step = queued, .from = now, .ready = ready, .start = fits, .releaser = releaser});
    launch(step, Duration(fits), span.start);
    if (queued.recompute) {
      recorder.recompute(step, next, span.start.count(), span.end.count());
    } else {
      timeline_.busy += span.end - span.start;
    }
    return span.end.count();
  }

  void launch(StepId before, Duration from, Duration to) {
    if (from == to) return;
    timeline_.stalls.push_back({.cause = StallCause::kLaunch,
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
  OOC_CHECK(times.spans.size() == times.plan.steps.size(), "a span for each step");
  return MeasuredWalk(times).run();
}

}  // namespace ooc
