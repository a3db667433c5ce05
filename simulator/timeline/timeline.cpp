// The names of stall causes, as the result format spells them, and the order of events that were measured.
#include "simulator/timeline/timeline.hpp"

#include <algorithm>
#include <tuple>

#include "model/base/errors.hpp"

namespace ooc {

std::string_view stall_name(StallCause cause) {
  switch (cause) {
    case StallCause::kDependency:
      return "dependency";
    case StallCause::kSwapIn:
      return "swap_in";
    case StallCause::kSwapOut:
      return "swap_out";
    case StallCause::kMemory:
      return "memory";
    case StallCause::kFault:
      return "fault";
    case StallCause::kRecompute:
      return "recompute";
    case StallCause::kLaunch:
      return "launch";
    case StallCause::kUpdate:
      return "update";
  }
  OOC_CHECK(false, "a stall has one of the named causes");
  return {};
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
  std::stable_sort(events.begin(), events.end(),
                   [&](const StepEvent& a, const StepEvent& b) { return place(a) < place(b); });
  return events;
}

}  // namespace ooc
