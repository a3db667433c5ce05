// The names of stall causes, as the result format spells them, and the order of events that were measured.
#include "simulator/timeline/timeline.hpp"

#include <algorithm>
#include <span>
#include <tuple>

#include "model/base/errors.hpp"

namespace ooc {

std::string_view stall_name(StallCause cause) {
  return text_at(cause, {"dependency", "swap_in", "swap_out", "memory", "fault", "recompute",
                         "launch", "update", "hooks", "exchange"});
}

std::vector<StepEvent> events_of(const std::vector<Span>& spans) {
  std::vector<StepEvent> events;
  events.reserve(spans.size() * 2);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    events.push_back({make_id<StepId>(i), false});
    events.push_back({make_id<StepId>(i), true});
  }
  const auto place = [&](const StepEvent& event) {
    const Span& span = spans[event.step.at()];
    const bool began_before = event.ends && span.start < span.end;
    return std::tuple(event.ends ? span.end : span.start, !began_before);
  };
  std::ranges::stable_sort(events, {}, place);
  return events;
}

// Attribution of gaps. It reads only spans of steps that have ended, so it is the same for every
// engine that fills spans in time order.

namespace {

StallCause cause_of_wait(const Step& step) {
  if (step.on_demand) return StallCause::kFault;
  if (step.for_update) return StallCause::kUpdate;
  if (step.exchange) return StallCause::kExchange;
  static constexpr StallCause kCauses[] = {StallCause::kDependency, StallCause::kSwapOut,
                                           StallCause::kSwapIn, StallCause::kUpdate};
  return kCauses[static_cast<std::size_t>(step.kind)];  // compute, to far, to near, far compute
}

std::int64_t end_of(const Timeline& timeline, StepId step) {
  return timeline.spans[step.at()].end.count();
}

/// The steps of `queue` that end after `from`: ends never fall along a queue.
std::span<const StepId> ending_after(const Timeline& timeline, const std::vector<StepId>& queue,
                                     std::int64_t from) {
  const auto first = std::ranges::partition_point(
      queue, [&](StepId step) { return end_of(timeline, step) <= from; });
  return {first, queue.end()};
}

}  // namespace

void StallRecorder::add(StallCause cause, std::optional<StepId> before,
                        std::optional<StepId> culprit, std::int64_t start, std::int64_t end) {
  if (start == end) return;
  timeline_.stalls.push_back({.cause = cause,
                              .before = before,
                              .culprit = culprit,
                              .start = Duration(start),
                              .end = Duration(end)});
  timeline_.stall_totals[static_cast<std::size_t>(cause)] += Duration(end - start);
}

std::optional<StepId> StallRecorder::last_wait(const Gap& gap) const {
  std::optional<StepId> last;
  std::int64_t latest = gap.from;
  const auto look_at = [&](StepId step) {
    if (end_of(timeline_, step) <= latest) return;
    latest = end_of(timeline_, step);
    last = step;
  };
  for (const StepKind kind :
       {StepKind::kToNear, StepKind::kToFar, StepKind::kCompute, StepKind::kFarCompute}) {
    const std::size_t queue = queue_index(kind);
    // The records have just been used and are at hand.
    if (const std::int32_t count = gap.step.needs[queue]; count != 0) {
      look_at(plan_.queued[queue][static_cast<std::size_t>(count - 1)].step);
    }
  }
  return last;
}

void StallRecorder::gap(const Gap& gap) {
  const StepId step = gap.step.step;
  if (gap.ready > gap.from) {
    const std::optional<StepId> wait = last_wait(gap);
    const std::int64_t waited = wait ? end_of(timeline_, *wait) : gap.from;
    OOC_CHECK(waited == gap.ready || gap.issued == gap.ready,
              "a step becomes ready when one of its waits ends or it is issued");
    if (wait) add(cause_of_wait(plan_.steps[wait->at()]), step, wait, gap.from, waited);
    // Without hooks the step would have been issued so much earlier.
    const std::int64_t hooks = std::max(waited, gap.ready - gap.hooks);
    add(StallCause::kLaunch, step, std::nullopt, waited, hooks);
    add(StallCause::kHooks, step, std::nullopt, hooks, gap.ready);
  }
  if (gap.start > gap.ready) {
    const Step* releaser = gap.releaser ? &plan_.steps[gap.releaser->at()] : nullptr;
    const bool copy_out = releaser != nullptr && releaser->kind == StepKind::kToFar;
    add(copy_out ? cause_of_wait(*releaser) : StallCause::kMemory, step, gap.releaser, gap.ready,
        gap.start);
  }
}

void StallRecorder::recompute(StepId step, std::optional<StepId> before, std::int64_t start,
                              std::int64_t end) {
  add(StallCause::kRecompute, before, step, start, end);
}

void StallRecorder::tail(std::int64_t from, std::int64_t iteration_end) {
  if (from == iteration_end) return;
  // Of what is still running at an instant the first counts.
  std::array left{ending_after(timeline_, plan_.queue(StepKind::kToNear), from),
                  ending_after(timeline_, plan_.queue(StepKind::kFarCompute), from),
                  ending_after(timeline_, plan_.queue(StepKind::kToFar), from)};
  for (std::int64_t now = from; now < iteration_end;) {
    std::int64_t until = iteration_end;
    std::optional<StepId> running;
    for (auto& steps : left) {
      while (!steps.empty() && end_of(timeline_, steps.front()) <= now) steps = steps.subspan(1);
      if (running || steps.empty()) continue;
      const std::int64_t start = timeline_.spans[steps.front().at()].start.count();
      if (start <= now) running = steps.front();
      until = std::min(until, start <= now ? end_of(timeline_, steps.front()) : start);
    }
    const StallCause cause =
        running ? cause_of_wait(plan_.steps[running->at()]) : StallCause::kDependency;
    add(cause, std::nullopt, running, now, until);
    now = until;
  }
}

}  // namespace ooc
