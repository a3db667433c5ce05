// Exact in 128 bit: of whole nanoseconds, time <= reference x (100 + p) / 100 is time <= what is left of that without
// its fraction.
#include "simulator/predict/knee.hpp"

namespace ooc {
namespace {

Duration longest(Duration reference, int percent) {
  return Duration(static_cast<std::int64_t>(Int128{reference.count()} * (100 + percent) / 100));
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
    case NoKnee::kComputation:
      return "computation";
    case NoKnee::kRecomputes:
      return "recomputes";
    case NoKnee::kPageFaults:
      return "page_faults";
    case NoKnee::kFarUpdates:
      return "far_updates";
    case NoKnee::kLink:
      return "link";
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
    case NoKnee::kComputation:
      return "computes longer";
    case NoKnee::kRecomputes:
      return "recomputes";
    case NoKnee::kPageFaults:
      return "waits for page faults";
    case NoKnee::kFarUpdates:
      return "waits for updates in far memory";
    case NoKnee::kLink:
      return "the link binds";
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
          .reference_time = report.reference_time,
          .compute_time = report.compute_time,
          .recompute_time = stall(StallCause::kRecompute),
          .fault_time = stall(StallCause::kFault),
          .update_time = stall(StallCause::kUpdate),
          .far_memory_binds = report.link_limited_by == "far memory",
          .near_memory_binds = report.link_limited_by == "near memory"};
}

bool within(const LinkTime& time, int percent) {
  return time.feasible && time.iteration_time <= longest(time.reference_time, percent);
}

NoKnee why_too_slow(const LinkTime& time, Duration most, std::optional<bool> copies_bind) {
  if (time.compute_time > most) return NoKnee::kComputation;
  const Duration run_again = time.compute_time + time.recompute_time;
  if (run_again > most) return NoKnee::kRecomputes;
  if (!copies_bind.value_or(false)) {
    if (run_again + time.fault_time > most) return NoKnee::kPageFaults;
    const bool updates = copies_bind && time.update_time > Duration(0);
    if (updates || run_again + time.update_time > most) return NoKnee::kFarUpdates;
    if (copies_bind) return NoKnee::kOtherWaits;
  }
  if (time.far_memory_binds) return NoKnee::kFarMemory;
  if (time.near_memory_binds) return NoKnee::kNearMemory;
  return copies_bind ? NoKnee::kLink : NoKnee::kOtherWaits;
}

void KneeFinder::add(BytesPerSecond link, const LinkTime& time) {
  any_worked_out_ |= time.worked_out;
  if (time.feasible && (!fastest_ || link > fastest_link_)) {
    fastest_ = time;
    fastest_link_ = link;
  }
  const auto note = [&](std::optional<BytesPerSecond>& slowest, int percent) {
    if (within(time, percent) && (!slowest || link < *slowest)) slowest = link;
  };
  note(knee_.within_1_percent, 1);
  note(knee_.within_5_percent, 5);
}

Knee KneeFinder::knee() const {
  Knee knee = knee_;
  if (!knee.within_1_percent) knee.not_within_1_percent = why_none(1);
  if (!knee.within_5_percent) knee.not_within_5_percent = why_none(5);
  return knee;
}

NoKnee KneeFinder::why_none(int percent) const {
  if (!fastest_) return any_worked_out_ ? NoKnee::kDoesNotFit : NoKnee::kNotWorkedOut;
  LinkTime time = *fastest_;
  if (at_infinite_link_ && at_infinite_link_->feasible) {
    time = *at_infinite_link_;
    if (within(time, percent)) return NoKnee::kBeyondList;
  }
  return why_too_slow(time, longest(time.reference_time, percent));
}

}  // namespace ooc
