#include "simulator/predict/scheduled_case.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "simulator/plan/wait_as_framework.hpp"
#include "simulator/predict/framework_choice.hpp"
#include "simulator/predict/planning.hpp"
#include "simulator/predict/round_costs.hpp"
#include "simulator/schedules/fitting_algorithms.hpp"

namespace ooc {
namespace {

/// Whether more than a sum of sizes decides what suffices: holes, copies that wait for more than the schedule
/// says, or a far memory that might overflow.
bool sizes_may_deceive(const Case& which) {
  const auto& sizes = which.costs.tensor_bytes;
  const CopyRules& copies = framework_of(which.framework).copies;
  const Bytes all = std::accumulate(sizes.begin(), sizes.end(), Bytes(0));
  return which.allocator != Allocator::kIdeal || which.transfers.mode == CopyMode::kPageable ||
         change_plans(copies) || which.devices > 1 || all > which.far_capacity;
}

/// Rooms to try, first unset: tasks with the least workspace, without which the job does not fit. That alone where there is
/// nothing to choose here.
std::vector<std::optional<Bytes>> rooms_of(const Case& which, const Schedule& schedule) {
  const TrainingGraph& graph = which.workload.graph;
  const bool choice = which.costs.alternatives.size() > graph.tasks.size();
  if (!choice || schedule.is(Trait::kChoosesAlgorithms) ||
      which.schedule_options.algorithms != AlgorithmChoice::kFitting) {
    return {std::nullopt};
  }
  // Beside what never moves there is nothing to give away.
  if (schedule.is(Trait::kMovesNothing)) return {std::nullopt, Bytes(0)};
  std::vector<std::optional<Bytes>> rooms{std::nullopt};
  for (const Bytes room : algorithm_rooms(graph, which.costs, simulated_budget(which))) {
    rooms.emplace_back(room);
  }
  return rooms;
}

/// Compute with the algorithms of a room; zero where tasks are not run as they are.
Duration least_time(const Case& which, const Schedule& schedule, const std::optional<Bytes>& room) {
  const bool other_tasks = which.moving || schedule.is(Trait::kMovesPages) ||
                           compresses(schedule, which.schedule_options) ||
                           sub_batch_of(which, schedule).kind != SubBatch::Kind::kOff;
  Duration sum;
  if (!room || other_tasks) return sum;
  for (const AlternativeId way :
       fitting_algorithms(which.workload.graph, which.costs, *room, simulated_budget(which))) {
    sum += which.costs[way].time;
  }
  return sum;
}

bool same_but_for_algorithms(const Plan& a, const Plan& b) {
  if (a.steps.size() != b.steps.size()) return false;
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    const Step& step = a.steps[i];
    const Step& other = b.steps[i];
    if (step.kind != other.kind || step.object != other.object ||
        step.recompute != other.recompute) {
      return false;
    }
    const auto waits = a.waits[make_id<StepId>(i)];
    const auto others = b.waits[make_id<StepId>(i)];
    if (!std::equal(waits.begin(), waits.end(), others.begin(), others.end())) return false;
  }
  return true;
}

}  // namespace

ScheduledCase::ScheduledCase(const Case& which, const Schedule& schedule, Detail most)
    : which_(which), schedule_(schedule) {
  for (const auto& room : rooms_of(which, schedule)) {
    candidates_.push_back({.room = room, .least = least_time(which, schedule, room)});
    candidates_.back().buffers.records = most != Detail::kTotals;
  }
  best_ = candidates_.size() - 1;
}

const CaseRun& ScheduledCase::run() {
  if (!plans_stay()) {
    for (Candidate& each : candidates_) {
      each.run.reset();
      each.report.reset();
    }
  } else if (!planned_) {
    plan_all();
    planned_ = true;
  }
  time_.reset();
  link_ = fastest_link(which_.costs.transfers);
  for (Candidate& each : candidates_) each.is_run = false;
  // The last best first: at similar prices it still is, and the others need no run.
  consider(best_);
  if (!time_) consider(0);
  if (!time_ && which_.allocator == Allocator::kCaching) try_all_of_memory();
  if (!time_) {
    best_ = 0;  // which was run: it says what the job lacks
    if (auto* oom = std::get_if<OutOfMemory>(&candidates_[0].run->plan)) {
      if (!is_trial_) confirm_smallest(*oom);
    }
    return *candidates_[0].run;
  }
  for (std::size_t i = candidates_.size(); i-- > 0;) consider(i);
  return *candidates_[best_].run;
}

/// Plans for all of memory count only where none for less runs, with any algorithms.
void ScheduledCase::try_all_of_memory() {
  for (std::size_t i = candidates_.size(); i-- > 0;) consider(i);
  if (time_) return;
  by_sizes_ = false;
  candidates_[0].run.reset();
  consider(0);
  by_sizes_ = true;
}

/// Schedules work out the smallest budget from sizes, at plan time. Where that may deceive, a run with it decides whether
/// it is promised or only said that nothing smaller will do.
void ScheduledCase::confirm_smallest(OutOfMemory& oom) const {
  if (!oom.smallest_budget || is_footprint(which_.accounting) || !sizes_may_deceive(which_)) return;
  Case with_it = which_;
  with_it.budget = *oom.smallest_budget;
  ScheduledCase trial(with_it, schedule_);
  trial.is_trial_ = true;
  (void)trial.run();
  if (!trial.time_) oom.least_budget = std::exchange(oom.smallest_budget, std::nullopt);
}

bool ScheduledCase::plans_stay() const {
  return !schedule_.is(Trait::kPlansForLink) && !schedule_.is(Trait::kMovesPages) &&
         !compresses(schedule_, which_.schedule_options) && which_.devices == 1 && !which_.moving &&
         which_.allocator != Allocator::kCaching &&
         sub_batch_of(which_, schedule_).kind == SubBatch::Kind::kOff;
}

void ScheduledCase::plan_all() {
  for (std::size_t i = candidates_.size(); i-- > 0;) {
    Candidate& each = candidates_[i];
    plan(each);
    const Plan* plan = std::get_if<Plan>(&each.run->plan);
    if (plan == nullptr) continue;
    each.least = Duration();
    for (const Step& step : plan->steps) {
      if (step.kind == StepKind::kCompute) {
        each.least += which_.costs[step.alternative].time;
      } else {
        const Bytes bytes = which_.costs.tensor_bytes[static_cast<std::size_t>(step.object)];
        (step.kind == StepKind::kToFar ? each.out : each.in) += bytes;
      }
    }
    for (std::size_t other = i + 1; other < candidates_.size() && !each.quicker; ++other) {
      const Plan* its = std::get_if<Plan>(&candidates_[other].run->plan);
      const bool twins = its != nullptr && candidates_[other].least <= each.least &&
                         same_but_for_algorithms(*its, *plan);
      if (twins) each.quicker = other;
    }
  }
}

/// Of plans that differ in algorithms alone the one that computes longer can be quicker only where the other's
/// workspaces waited for memory.
bool ScheduledCase::is_outdone(const Candidate& candidate) const {
  if (!candidate.quicker) return false;
  const Candidate& other = candidates_[*candidate.quicker];
  if (!other.is_run) return is_outdone(other);
  const Timeline* timeline = timeline_of(other);
  if (timeline == nullptr) return false;
  const auto waits = [&](StallCause cause) {
    return timeline->stall_totals[static_cast<std::size_t>(cause)].count() > 0;
  };
  return !waits(StallCause::kMemory) && !waits(StallCause::kSwapOut);
}

const Timeline* ScheduledCase::timeline_of(const Candidate& candidate) {
  const auto& outcome = candidate.run->outcome;
  return outcome ? std::get_if<Timeline>(&*outcome) : nullptr;
}

void ScheduledCase::plan(Candidate& candidate) {
  const ToBeat to_beat{.time = time_, .by_sizes = by_sizes_};
  if (!candidate.room) {
    candidate.run = plan_case(which_, schedule_, to_beat, candidate.buffers);
    return;
  }
  Case fitted = which_;
  fitted.schedule_options.room = candidate.room;
  candidate.run = plan_case(fitted, schedule_, to_beat, candidate.buffers);
}

std::optional<Duration> ScheduledCase::simulate(Candidate& candidate) {
  if (!candidate.run) plan(candidate);
  if (!candidate.run) return std::nullopt;
  simulate_case(which_, *candidate.run, candidate.buffers);
  candidate.is_run = true;
  const Timeline* timeline = timeline_of(candidate);
  return timeline == nullptr ? std::nullopt : std::optional(timeline->iteration_time);
}

/// Of equals the larger room, in whatever order they come.
void ScheduledCase::consider(std::size_t index) {
  Candidate& candidate = candidates_[index];
  const auto is_worse = [&](Duration time) {
    return time_ && (time > *time_ || (time == *time_ && index <= best_));
  };
  const Duration copies = std::max(transfer_time(candidate.out, link_.to_far),
                                   transfer_time(candidate.in, link_.to_near));
  if (is_worse(std::max(candidate.least, copies)) || is_outdone(candidate)) return;
  const std::optional<Duration> time = simulate(candidate);
  if (!time || is_worse(*time)) return;
  best_ = index;
  time_ = time;
}

void ScheduledCase::bound() { bound_run(which_, schedule_, *candidates_[best_].run); }

RunReport ScheduledCase::report(Detail detail) const {
  return report_case(which_, schedule_, *candidates_[best_].run, detail);
}

const RunReport& ScheduledCase::totals() {
  Candidate& best = candidates_[best_];
  if (best.report) {
    report_again(which_, schedule_, *best.run, best.buffers, *best.report);
  } else {
    best.report = report_case(which_, schedule_, *best.run, Detail::kTotals);
  }
  return *best.report;
}

CaseRun ScheduledCase::take() && { return *std::move(candidates_[best_].run); }

}  // namespace ooc
