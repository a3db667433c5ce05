// Exact comparison in 128 bit: time <= compute x (100 + p) / 100.
#include "simulator/predict/knee.hpp"

#include <algorithm>

namespace ooc {
namespace {

bool is_within(Duration time, Duration compute, int percent) {
  return Int128{time.count()} * 100 <= Int128{compute.count()} * (100 + percent);
}

/// The fastest link at which the unit runs; null: none.
const LinkTime* fastest_that_fits(const KneeRequest& request) {
  std::optional<std::size_t> fastest;
  for (std::size_t i = 0; i < request.times.size(); ++i) {
    if (!request.times[i].feasible) continue;
    if (!fastest || *request.links[i] > *request.links[*fastest]) fastest = i;
  }
  return fastest ? &request.times[*fastest] : nullptr;
}

NoKnee why_none(const KneeRequest& request, int percent) {
  const LinkTime* time = fastest_that_fits(request);
  if (time == nullptr) {
    const bool known = std::any_of(request.times.begin(), request.times.end(),
                                   [](const LinkTime& each) { return each.worked_out; });
    return known ? NoKnee::kDoesNotFit : NoKnee::kNotWorkedOut;
  }
  if (request.at_infinite_link && request.at_infinite_link->feasible) {
    time = &*request.at_infinite_link;
    if (within(*time, percent)) return NoKnee::kBeyondList;
  }
  const Duration run_again = time->compute_time + time->recompute_time;
  if (!is_within(run_again, time->compute_time, percent)) return NoKnee::kRecomputes;
  if (!is_within(run_again + time->fault_time, time->compute_time, percent)) {
    return NoKnee::kPageFaults;
  }
  if (time->far_memory_binds) return NoKnee::kFarMemory;
  return time->near_memory_binds ? NoKnee::kNearMemory : NoKnee::kOtherWaits;
}

}  // namespace

std::string_view no_knee_name(NoKnee cause) {
  switch (cause) {
    case NoKnee::kNone:
      return "";
    case NoKnee::kNotWorkedOut:
      return "not_worked_out";
    case NoKnee::kDoesNotFit:
      return "does_not_fit";
    case NoKnee::kBeyondList:
      return "beyond_list";
    case NoKnee::kRecomputes:
      return "recomputes";
    case NoKnee::kPageFaults:
      return "page_faults";
    case NoKnee::kFarMemory:
      return "far_memory";
    case NoKnee::kNearMemory:
      return "near_memory";
    case NoKnee::kOtherWaits:
      return "other_waits";
  }
  return "";
}

std::string_view no_knee_text(NoKnee cause) {
  switch (cause) {
    case NoKnee::kNone:
      return "";
    case NoKnee::kNotWorkedOut:
      return "cannot be worked out";
    case NoKnee::kDoesNotFit:
      return "does not fit";
    case NoKnee::kBeyondList:
      return "only beyond the list";
    case NoKnee::kRecomputes:
      return "recomputes";
    case NoKnee::kPageFaults:
      return "waits for page faults";
    case NoKnee::kFarMemory:
      return "far memory caps the link";
    case NoKnee::kNearMemory:
      return "near memory caps the link";
    case NoKnee::kOtherWaits:
      return "waits for more than copies";
  }
  return "";
}

LinkTime link_time(const RunReport& report) {
  const auto stall = [&](StallCause cause) {
    return report.stalls[static_cast<std::size_t>(cause)];
  };
  return {.worked_out = true,
          .feasible = report.feasible,
          .iteration_time = report.iteration_time,
          .compute_time = report.compute_time,
          .recompute_time = stall(StallCause::kRecompute),
          .fault_time = stall(StallCause::kFault),
          .far_memory_binds = report.link_limited_by == "far memory",
          .near_memory_binds = report.link_limited_by == "near memory"};
}

bool within(const LinkTime& time, int percent) {
  return time.feasible && is_within(time.iteration_time, time.compute_time, percent);
}

std::size_t fastest_link(Links links) {
  return static_cast<std::size_t>(std::max_element(links.begin(), links.end()) - links.begin());
}

Knee find_knee(const KneeRequest& request) {
  Knee knee{.unit = request.unit, .within_1_percent = {}, .within_5_percent = {}};
  const auto slower = [&](std::size_t link, const std::optional<std::size_t>& than) {
    return !than || *request.links[link] < *request.links[*than];
  };
  for (std::size_t i = 0; i < request.times.size(); ++i) {
    const LinkTime& time = request.times[i];
    if (within(time, 1) && slower(i, knee.within_1_percent)) knee.within_1_percent = i;
    if (within(time, 5) && slower(i, knee.within_5_percent)) knee.within_5_percent = i;
  }
  if (!knee.within_1_percent) knee.not_within_1_percent = why_none(request, 1);
  if (!knee.within_5_percent) knee.not_within_5_percent = why_none(request, 5);
  return knee;
}

}  // namespace ooc
