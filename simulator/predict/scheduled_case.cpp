#include "simulator/predict/scheduled_case.hpp"

#include <utility>

#include "simulator/predict/planning.hpp"
#include "simulator/predict/round_costs.hpp"
#include "simulator/schedules/fitting_algorithms.hpp"

namespace ooc {
namespace {

/// Rooms to try; one unset where there is nothing to choose here.
std::vector<std::optional<Bytes>> rooms_of(const Case& which, const Schedule& schedule) {
  const TrainingGraph& graph = which.workload.graph;
  const bool choice = which.costs.alternatives.size() > graph.tasks.size();
  if (!choice || schedule.is(Trait::kChoosesAlgorithms) ||
      which.schedule_options.algorithms != AlgorithmChoice::kFitting) {
    return {std::nullopt};
  }
  // Beside what never moves there is nothing to give away.
  if (schedule.is(Trait::kMovesNothing)) return {Bytes(0)};
  const std::vector<Bytes> rooms = algorithm_rooms(graph, which.costs, simulated_budget(which));
  return {rooms.begin(), rooms.end()};
}

/// Compute with the algorithms of a room; zero where tasks are not run as they are.
Duration least_time(const Case& which, const Schedule& schedule, const std::optional<Bytes>& room) {
  const bool other_tasks = which.moving || schedule.is(Trait::kMovesPages) ||
                           compresses(schedule, which.schedule_options) ||
                           sub_batch_of(which, schedule).kind != SubBatch::Kind::kOff;
  Duration sum;
  if (!room || other_tasks) return sum;
  for (const AlternativeId way : fitting_algorithms(which.workload.graph, which.costs, *room,
                                                    simulated_budget(which))) {
    sum += which.costs[way].time;
  }
  return sum;
}

}  // namespace

ScheduledCase::ScheduledCase(const Case& which, const Schedule& schedule)
    : which_(which), schedule_(schedule) {
  for (const auto& room : rooms_of(which, schedule)) {
    candidates_.push_back({.room = room, .least = least_time(which, schedule, room)});
  }
  best_ = candidates_.size() - 1;
}

const CaseRun& ScheduledCase::run() {
  forget_plans();
  time_.reset();
  // The last best first: at similar prices it still is, and the others need no run.
  consider(best_);
  if (!time_) consider(0);
  if (!time_) {
    best_ = 0;
    return *candidates_[0].run;
  }
  for (std::size_t i = candidates_.size(); i-- > 0;) consider(i);
  return *candidates_[best_].run;
}

void ScheduledCase::forget_plans() {
  for (Candidate& each : candidates_) {
    if (!each.run) continue;
    const bool stays = !schedule_.is(Trait::kPlansForLink) && !each.run->rounds &&
                       !each.run->devices && which_.allocator != Allocator::kCaching;
    if (stays) continue;
    each.run.reset();
    each.report.reset();
  }
}

std::optional<Duration> ScheduledCase::simulate(Candidate& candidate) {
  if (!candidate.run) {
    if (candidate.room) {
      Case fitted = which_;
      fitted.schedule_options.room = candidate.room;
      candidate.run.emplace(plan_case(fitted, schedule_, candidate.buffers));
    } else {
      candidate.run.emplace(plan_case(which_, schedule_, candidate.buffers));
    }
  }
  simulate_case(which_, *candidate.run, candidate.buffers);
  const auto& outcome = candidate.run->outcome;
  const Timeline* timeline = outcome ? std::get_if<Timeline>(&*outcome) : nullptr;
  return timeline == nullptr ? std::nullopt : std::optional(timeline->iteration_time);
}

/// Of equals the larger room, in whatever order they come.
void ScheduledCase::consider(std::size_t index) {
  Candidate& candidate = candidates_[index];
  const auto is_worse = [&](Duration time) {
    return time_ && (time > *time_ || (time == *time_ && index <= best_));
  };
  if (is_worse(candidate.least)) return;
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
