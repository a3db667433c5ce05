// First with as much as there can be, which tells whether anything suffices and, if not, what binds; then from
// what the job has by factors of two, down or up, to a bracket whose upper end does and whose lower end does
// not; then bisection. Values are tried at as many digits as reports have, so that the one that is printed is the
// one that was run.
#include "simulator/predict/need.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "model/base/errors.hpp"
#include "model/base/quantity_io.hpp"
#include "simulator/predict/knee.hpp"
#include "simulator/predict/moving_plan.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "simulator/predict/stated_times.hpp"
#include "simulator/schedules/option_table.hpp"

namespace ooc {
namespace {

// Where the search by factors of two ends.
constexpr std::int64_t kLowest = 1'000'000;
constexpr std::int64_t kHighestRate = 1'000'000'000'000'000;
/// Where it starts, if the job's own rate is infinite.
constexpr std::int64_t kSomeRate = 16'000'000'000;
/// Lower and upper end of a bracket lie at most that far apart, in per cent of the lower.
constexpr std::int64_t kWidth = 1;

/// Upwards, to three digits of a rate and four of a size.
std::int64_t rounded(Needed what, double value) {
  const double largest = is_rate(what) ? 1000 : 10'000;
  double step = 1;
  while (value / step >= largest) step *= 10;
  return std::llround(std::ceil(value / step) * step);
}

struct Reason {
  std::string name;
  std::string text;
};

Reason reason_of(NoKnee cause, std::string text = {}) {
  if (text.empty()) text = no_knee_text(cause);
  return {std::string(no_knee_name(cause)), std::move(text)};
}

Duration stall(const RunReport& report, StallCause cause) {
  return report.stalls[static_cast<std::size_t>(cause)];
}

std::string lack_text(const OutOfMemory& oom) {
  const std::string_view tier = oom.tier == OutOfMemory::Tier::kNear ? "near" : "far";
  const std::optional<Bytes> least = oom.smallest_budget ? oom.smallest_budget : oom.least_budget;
  if (!least) return fmt::format("does not fit: {} memory is too small at {}", tier, oom.step);
  return fmt::format("does not fit: takes {} of {} memory", format_bytes(*least), tier);
}

class Search {
 public:
  /// `machine` is changed while it searches.
  Search(const NeedRequest& request, const Case& which, Machine& machine, const Schedule& schedule)
      : request_(request), case_(which), machine_(machine), schedule_(schedule) {
    row_.schedule = schedule.name;
    far_compute_ = request.options.far_compute;
  }

  NeedRow run(std::int64_t now) {
    const std::int64_t most =
        is_rate(request_.what) ? kInfiniteRate.count() : std::int64_t{kMaxTotalBytes};
    const std::int64_t start =
        std::clamp(now, kLowest, is_rate(request_.what) ? kHighestRate : most);
    const bool most_does = does(most);
    const TransferCosts& costs = case_.costs.transfers;
    slowest_ = std::min(costs.to_far_peak, costs.to_near_peak);
    // More is not quite always better: what the job has may do where that does not.
    if (!most_does && !does(start)) {
      set(most);
      note(why_none());
      return std::move(row_);
    }
    if (moves_nothing(*row_.run)) return any();
    find_bracket(start, most);
    if (!row_.bracket) return std::move(row_);
    bisect();
    // A plan that is made for the link may move less the slower it is.
    if (row_.bracket->first == 0 && moves_nothing(*row_.run)) return any();
    return std::move(row_);
  }

 private:
  void set(std::int64_t value) {
    TransferOptions& transfers = case_.transfers;
    const BytesPerSecond rate(value);
    switch (request_.what) {
      case Needed::kLink:
        case_.inputs.link = transfers.link = rate;
        break;
      case Needed::kLinkToFar:
        case_.inputs.link_to_far = transfers.link_to_far = rate;
        break;
      case Needed::kLinkToNear:
        case_.inputs.link_to_near = transfers.link_to_near = rate;
        break;
      case Needed::kNearMemory:
        case_.budget = case_.inputs.memory = Bytes(value);
        case_.inputs.memory_given = true;
        break;
      case Needed::kFarMemory:
        case_.far_capacity = case_.inputs.far_memory = Bytes(value);
        break;
      case Needed::kFarThroughput:
        case_.inputs.far_throughput = transfers.far_throughput = rate;
        break;
    }
  }

  RunReport run_as_set() {
    estimate_transfers_into(case_.costs.transfers, case_.costs.tensor_bytes, case_.hardware,
                            case_.transfers);
    if (case_.moving) {
      case_.far_compute = far_compute_of(case_.hardware, case_.transfers, far_compute_);
    }
    if (!run_ || !is_rate(request_.what)) run_.emplace(case_, schedule_);
    (void)run_->run();
    return run_->report(Detail::kTotals);
  }

  /// Whether the goal is met there; if so, that run is the row's.
  bool does(std::int64_t value) {
    ++row_.attempts;
    try {
      set(value);
      RunReport report = run_as_set();
      const bool met = report.feasible && report.iteration_time <= goal(report);
      if (met || !row_.run) row_.run = std::move(report);
      return met;
    } catch (const SpecError& error) {  // times or rounds that cannot be counted
      if (!row_.run) row_.reason_text = error.what();
      return false;
    }
  }

  [[nodiscard]] Duration goal(const RunReport& report) const {
    if (request_.time) return *request_.time;
    const Int128 most =
        Int128{report.reference_time.count()} * (kOne + request_.within).count() / kOne.count();
    return Duration(static_cast<std::int64_t>(most));
  }

  [[nodiscard]] bool moves_nothing(const RunReport& report) const {
    return request_.what != Needed::kNearMemory &&
           report.to_far + report.to_near + report.peak_far == Bytes(0);
  }

  void note(Reason reason) {
    row_.reason = std::move(reason.name);
    row_.reason_text = std::move(reason.text);
  }

  NeedRow any() {
    row_.value = 0;
    row_.bracket = {0, 0};
    note({"moves_nothing", "nothing moves"});
    return std::move(row_);
  }

  void find_bracket(std::int64_t start, std::int64_t most) {
    const std::int64_t last = is_rate(request_.what) ? kHighestRate : most;
    std::int64_t high = rounded(request_.what, static_cast<double>(start));
    if (does(high)) {
      while (high > kLowest) {
        const std::int64_t low =
            std::max(kLowest, rounded(request_.what, static_cast<double>(high) / 2));
        if (!does(low)) return set_bracket(low, high);
        high = low;
      }
      return set_bracket(0, high);
    }
    while (high < last) {
      const std::int64_t low = high;
      high = std::min(last, rounded(request_.what, static_cast<double>(low) * 2));
      if (does(high)) return set_bracket(low, high);
    }
    note({"beyond_range", "only beyond " + format_rate(BytesPerSecond(last))});
  }

  void set_bracket(std::int64_t low, std::int64_t high) {
    row_.value = high;
    row_.reason_text.clear();
    row_.bracket = {low, high};
  }

  void bisect() {
    if (!is_rate(request_.what)) try_own_peak();
    while (true) {
      const auto [low, high] = *row_.bracket;
      if (low == 0 || Int128{high - low} * 100 <= Int128{low} * kWidth) return;
      std::int64_t middle =
          rounded(request_.what, std::sqrt(static_cast<double>(low) * static_cast<double>(high)));
      if (middle <= low || middle >= high) middle = low + (high - low) / 2;
      if (!does(middle)) {
        row_.bracket->first = middle;
        continue;
      }
      set_bracket(low, middle);
      if (!is_rate(request_.what)) try_own_peak();
    }
  }

  /// A run uses less than it may: often that is what it needs, to the byte.
  void try_own_peak() {
    const Bytes peak =
        request_.what == Needed::kNearMemory ? row_.run->peak_near : row_.run->peak_far;
    const auto [low, high] = *row_.bracket;
    if (peak.count() <= low || peak.count() > high) return;
    if (peak.count() < high && !does(peak.count())) return;
    set_bracket(low, peak.count());
    const std::int64_t less = peak.count() - 1;
    if (less <= low) return;
    if (does(less)) {
      set_bracket(low, less);
    } else {
      row_.bracket->first = less;
    }
  }

  /// Of the run with as much as there can be, which the row has.
  [[nodiscard]] Reason why_none() {
    if (!row_.run) return reason_of(NoKnee::kNotWorkedOut, row_.reason_text);
    const RunReport& report = *row_.run;
    if (report.out_of_memory)
      return reason_of(NoKnee::kDoesNotFit, lack_text(*report.out_of_memory));
    const Duration most = goal(report);
    if (report.compute_time > most) {
      return reason_of(NoKnee::kComputation,
                       "computes longer: " + format_duration(report.compute_time));
    }
    const Duration again = report.compute_time + stall(report, StallCause::kRecompute);
    if (again > most) return reason_of(NoKnee::kRecomputes);
    TransferOptions& transfers = case_.transfers;
    const bool updates = report.state && report.state->far_updates > 0;
    const std::string far_rate = updates ? report.state->far_rate : "";
    const BytesPerSecond own_rate = case_.far_compute.throughput;
    if (updates) far_compute_ = own_rate;  // whatever far memory's
    transfers.link = transfers.link_to_far = transfers.link_to_near = kInfiniteRate;
    transfers.far_throughput = kInfiniteRate;
    if (would_do()) return what_binds_copies(report);
    if (updates) {
      far_compute_ = kInfiniteRate;
      if (would_do()) {
        return reason_of(NoKnee::kFarUpdates, "updates in far memory bind at " + far_rate);
      }
    }
    BytesPerSecond& near = machine_.profile.near_memory.throughput;
    const BytesPerSecond its_rate = near;
    near = kInfiniteRate;
    const bool copies_bind = would_do();
    if (updates) far_compute_ = own_rate;
    const bool updates_bind = updates && copies_bind && !would_do();
    near = its_rate;
    if (updates_bind) {
      return reason_of(NoKnee::kFarUpdates, "updates in far memory bind at " + far_rate);
    }
    if (copies_bind) return with_near_memory(report, its_rate);
    if (again + stall(report, StallCause::kFault) > most) return reason_of(NoKnee::kPageFaults);
    return reason_of(NoKnee::kOtherWaits, "waits whatever the rate of copies");
  }

  /// Whether the goal is met as things are set, which is no value to be noted.
  bool would_do() {
    try {
      const RunReport report = run_as_set();
      return report.feasible && report.iteration_time <= goal(report);
    } catch (const SpecError&) {
      return false;
    }
  }

  /// Where near memory stands in the way, too.
  [[nodiscard]] Reason with_near_memory(const RunReport& report, BytesPerSecond its_rate) const {
    const std::string rate = format_rate(its_rate);
    if (report.link_limited_by == "near memory") {
      return reason_of(NoKnee::kNearMemory, "near memory caps the link at " + rate);
    }
    Reason reason = what_binds_copies(report);
    reason.text += ", then near memory at " + rate;
    return reason;
  }

  [[nodiscard]] Reason what_binds_copies(const RunReport& report) const {
    const HardwareProfile& hardware = case_.hardware;
    if (report.link_limited_by == "far memory") {
      const BytesPerSecond rate =
          request_.options.transfers.far_throughput.value_or(hardware.far_memory.throughput);
      return reason_of(NoKnee::kFarMemory,
                       fmt::format("far memory caps the link at {}", format_rate(rate)));
    }
    switch (request_.what) {
      case Needed::kLinkToFar:
        return {"other_direction", "the link to near memory binds at " + format_rate(slowest_)};
      case Needed::kLinkToNear:
        return {"other_direction", "the link to far memory binds at " + format_rate(slowest_)};
      case Needed::kLink:
      case Needed::kNearMemory:
      case Needed::kFarMemory:
      case Needed::kFarThroughput:
        break;
    }
    return {"link", "the link binds at " + format_rate(slowest_)};
  }

  const NeedRequest& request_;
  Case case_;
  Machine& machine_;
  const Schedule& schedule_;
  std::optional<ScheduledCase> run_;  ///< of case_ at its sizes: for all rates
  NeedRow row_;
  std::optional<BytesPerSecond> far_compute_;
  BytesPerSecond slowest_;  ///< of both directions of the link, with as much as there can be
};

std::int64_t now_of(Needed what, const Case& which) {
  const TransferCosts& costs = which.costs.transfers;
  switch (what) {
    case Needed::kLink:
      return std::min(costs.to_far_peak, costs.to_near_peak).count();
    case Needed::kLinkToFar:
      return costs.to_far_peak.count();
    case Needed::kLinkToNear:
      return costs.to_near_peak.count();
    case Needed::kNearMemory:
      return which.budget.count();
    case Needed::kFarMemory:
      return which.far_capacity.count();
    case Needed::kFarThroughput:
      return which.transfers.far_throughput.value_or(which.hardware.far_memory.throughput).count();
  }
  return 0;
}

void note_assumed(NeedReport& report) {
  for (const NeedRow& row : report.rows) {
    if (!row.run) continue;
    for (const std::string& field : row.run->assumed) {
      const auto end = report.assumed.end();
      if (std::find(report.assumed.begin(), end, field) == end) report.assumed.push_back(field);
    }
  }
}

}  // namespace

NeedReport needs(const NeedRequest& request) {
  Machine machine = request.machine;
  const Case which = make_case(request.workload, machine, request.options);
  const std::int64_t now = now_of(request.what, which);
  NeedReport report{.inputs = which.inputs,
                    .what = request.what,
                    .time = request.time,
                    .within = request.within,
                    .reference_time = {},
                    .now = now,
                    .rows = {},
                    .assumed = {},
                    .remarks = which.remarks};
  const std::int64_t start = now == kInfiniteRate.count() ? kSomeRate : now;
  for (const Schedule* schedule : request.chosen) {
    NeedRow row = Search(request, which, machine, *schedule).run(start);
    if (row.run) report.reference_time = row.run->reference_time;
    report.rows.push_back(std::move(row));
  }
  note_assumed(report);
  const std::string stated = stated_times_remark(request.workload, which.compute);
  if (!stated.empty()) report.remarks.push_back(stated);
  return report;
}

}  // namespace ooc
