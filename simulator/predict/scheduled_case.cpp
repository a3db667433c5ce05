#include "simulator/predict/scheduled_case.hpp"

#include <algorithm>
#include <utility>

#include "model/base/json_writer.hpp"
#include "simulator/plan/bounds_mixed.hpp"
#include "simulator/plan/wait_as_framework.hpp"
#include "simulator/predict/figures.hpp"
#include "simulator/predict/options.hpp"
#include "simulator/predict/planning.hpp"
#include "simulator/predict/remarks.hpp"
#include "simulator/schedules/footprint.hpp"
#include "simulator/schedules/option_table.hpp"

namespace ooc {
namespace {

/// True if the schedule moves tensors and the machine has only one memory.
bool gains_nothing(const Case& which, const Schedule& schedule) {
  return which.hardware.one_pool && !schedule.is(Trait::kMovesNothing);
}

/// Whether more than a sum of sizes decides what suffices: holes, copies that wait for more than the schedule
/// says, or a far memory that might overflow.
bool sizes_may_deceive(const Case& which, const Iteration& about) {
  return which.allocator != Allocator::kIdeal || may_overflow_far(which, about.costs) ||
         change_plans(framework_of(which.framework).copies, which.transfers.mode);
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
    if (!std::ranges::equal(waits, others)) return false;
  }
  return true;
}

bool has_batch_norm(const Network& network) {
  return std::ranges::any_of(network.layers, [](const Layer& layer) {
    return layer.kind != nullptr && layer.kind->name == "batch_norm";
  });
}

/// "" where every task is known one way only.
std::string_view algorithms_text(const Case& which, const Schedule& schedule) {
  if (which.costs.alternatives.size() == which.workload.graph.tasks.size()) return "";
  return schedule.is(Trait::kChoosesAlgorithms)
             ? "own"
             : algorithms_name(which.schedule_options.algorithms);
}

/// Fills the bounds of a run with a plan.
void bound_run(const Case& which, const Schedule& schedule, CaseRun& run) {
  const Plan* plan = std::get_if<Plan>(&run.plan);
  if (plan == nullptr) return;
  const bool added = compresses(schedule, which.schedule_options);
  const Iteration& all = run.about(which);
  const Iteration& bounded = added ? which : all;  // nobody has to compress
  // Far updates are no tasks of it.
  const TrainingGraph& graph = bounded.moving ? bounded.moving->planned : *bounded.graph;
  MemoryPressure pressure;
  find_memory_pressure(graph, bounded.costs, simulated_budget(which), pressure);
  if (!pressure.feasible) return;
  // What memory forces on a schedule that only moves tensors, others may avoid.
  if (!only_moves_tensors(schedule, which.schedule_options)) pressure.cuts.clear();
  run.bounds = bound_cuts(pressure, all.costs.transfers);
  if (all.moving) {
    const bool again = std::ranges::any_of(plan->steps, &Step::recompute);
    run.bounds->raise(
        state_bound(*all.moving, all.costs, again ? TaskOrder::kAny : TaskOrder::kOnce));
  }
  if (added) return;
  if (!only_moves_tensors(schedule, which.schedule_options)) {
    if (which.moving) return;  // what it books is not what such a plan must hold
    const auto mixed = bound_mixed(graph, all.costs, simulated_budget(which), MixedEffort::kWhole);
    if (!mixed) return;
    run.bounds->raise(mixed->best());
    run.bounds_recomputing = true;
    return;
  }
  run.bounds->windows = std::max(run.bounds->cut, bound_windows(graph, all.costs, pressure));
}

std::string_view class_of_bounds(const Case& which, const Schedule& schedule, const CaseRun& run) {
  const bool moves = only_moves_tensors(schedule, which.schedule_options);
  if (which.moving) {
    return moves ? "schedules that only move tensors, with this placement of state"
                 : "schedules of any kind, with this placement of state";
  }
  if (run.bounds_recomputing) return "schedules that move or recompute tensors";
  return moves ? "schedules that only move tensors" : "schedules of any kind";
}

SummaryInput summary_of(const Case& which, const Schedule& schedule, const CaseRun& run,
                        const RunInputs& inputs) {
  return {.inputs = inputs,
          .job = which,
          .about = run.about(which),
          .plan = run.verdict(),
          .outcome = run.outcome,
          .in_core_peak = which.in_core_peak,
          .micro_batches = which.micro_batches.get(),
          .bounds = run.bounds,
          .bound_class = class_of_bounds(which, schedule, run),
          .compute_model = which.compute_model,
          .closed_form = which.moving ? ClosedForm::kNone : schedule.closed_form,
          .peak_far = run.peak_far};
}

}  // namespace

Bytes CaseRun::allowed(const Case& which) const {
  return allocator_limit.value_or(simulated_budget(which));
}

/// A job with other memory, of which only a run is asked.
struct ScheduledCase::Trial {
  Trial(Case with, const Schedule& schedule)
      : which(std::move(with)), scheduled(which, schedule, Detail::kTotals) {
    scheduled.is_trial_ = true;
  }

  Case which;
  ScheduledCase scheduled;
};

ScheduledCase::ScheduledCase(const Case& which, const Schedule& schedule, Detail most)
    : which_(which),
      asked_(schedule),
      schedule_(gains_nothing(which, schedule) ? *find_schedule("in-core") : schedule),
      records_(most != Detail::kTotals) {
  for (const auto& room : rooms_of(which, schedule_)) {
    candidates_.push_back({.room = room, .least = least_time(which, schedule_, room)});
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
  refused_.reset();
  link_ = fastest_link(which_.costs.transfers);
  for (Candidate& each : candidates_) each.is_run = false;
  // The last best first: at similar prices it still is, and the others need no run.
  consider(best_);
  if (!time_) consider(0);
  if (!time_ && which_.allocator == Allocator::kCaching) try_all_of_memory();
  const bool may_lack_far = which_.allocator != Allocator::kCaching && !time_ &&
                            may_overflow_far(which_, candidates_[0].run->about(which_).costs);
  if (time_ || may_lack_far) {
    for (std::size_t i = candidates_.size(); i-- > 0;) consider(i);
  }
  if (!time_ && !is_trial_) explain_refusal();
  return *answer().run;
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

/// Far memory, where more of it is all that a plan lacks; else what the first candidate lacks, with the least workspace.
void ScheduledCase::explain_refusal() {
  best_ = 0;
  if (const CaseRun* const roomy = run_within(which_.budget, Bytes(kMaxTotalBytes))) {
    CaseRun refused{*roomy};
    OutOfMemory oom = far_overflow(which_, *roomy, *roomy->timeline(), *roomy->peak_far);
    oom.smallest_budget = smallest_far(*roomy->peak_far);
    if (oom.smallest_budget) oom.far_taken.reset();
    refused.far_overflow = std::move(oom);
    refused.outcome.reset();
    refused.peak_far.reset();
    refused_ = Candidate{.room = {}, .least = {}, .run = std::move(refused)};
  } else {
    confirm_smallest();
  }
}

/// The run with so much memory, far memory for each device, until the next one; null: none.
const CaseRun* ScheduledCase::run_within(Bytes budget, Bytes far) {
  // Pages for any far memory may be too many to be cut.
  const bool may_lack_far = may_overflow_far(which_, candidates_[0].run->about(which_).costs) &&
                            !schedule_.is(Trait::kMovesPages);
  if (far != which_.far_capacity && !may_lack_far) return nullptr;  // as it was
  if (!plans_stay() || !trial_ || trial_->which.budget != budget) {
    Case with = which_;
    with.budget = budget;
    trial_ = std::make_shared<Trial>(std::move(with), schedule_);
  }
  trial_->which.far_capacity = far;
  trial_->which.transfers = which_.transfers;
  trial_->which.costs.transfers = which_.costs.transfers;
  (void)trial_->scheduled.run();
  return trial_->scheduled.time_ ? &*trial_->scheduled.answer().run : nullptr;
}

/// Schedules and margins choose among plans that run: with less far memory than one takes another may run. Unset: no end
/// found, or a search that would take too long.
std::optional<Bytes> ScheduledCase::smallest_far(Bytes needed) {
  constexpr int kMostRuns = 4;
  const bool by_trial = schedule_.is(Trait::kSearchesByTrial) && schedule_.is(Trait::kRecomputes);
  const bool takes_long = by_trial && which_.allocator == Allocator::kCaching;
  if (takes_long || schedule_.is(Trait::kOptimizes)) return std::nullopt;
  for (int tries = 0; tries < kMostRuns; ++tries) {
    const CaseRun* less = run_within(which_.budget, needed);
    if (less == nullptr) return std::nullopt;
    if (*less->peak_far == needed) less = run_within(which_.budget, needed - Bytes(1));
    if (!less) return needed * which_.transfers.host_sharers;
    needed = *less->peak_far;
  }
  return std::nullopt;
}

/// Schedules work out the smallest budget from sizes, at plan time. Where that may deceive, a run with it decides whether
/// it is promised or only said that nothing smaller will do.
void ScheduledCase::confirm_smallest() {
  const CaseRun& first = *candidates_[0].run;
  const auto* const planned = std::get_if<OutOfMemory>(&first.plan);
  if (planned == nullptr || !planned->smallest_budget || is_footprint(which_.accounting)) return;
  if (!sizes_may_deceive(which_, first.about(which_))) return;
  const Bytes budget = *planned->smallest_budget;
  if (run_within(budget, which_.far_capacity)) return;
  refused_ =
      Candidate{.room = {}, .least = {}, .run = first};  // the plan may stay for the next run
  auto& oom = std::get<OutOfMemory>(refused_->run->plan);
  oom.least_budget = std::exchange(oom.smallest_budget, std::nullopt);
  const CaseRun* const roomy = run_within(budget, Bytes(kMaxTotalBytes));
  if (roomy != nullptr) oom.far_taken = *roomy->peak_far * which_.transfers.host_sharers;
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

/// Of plans that differ in algorithms alone the one that computes longer can be quicker only where the other waited
/// for memory.
bool ScheduledCase::is_outdone(const Candidate& candidate) const {
  if (!candidate.quicker) return false;
  const Candidate& other = candidates_[*candidate.quicker];
  if (!other.is_run) return is_outdone(other);
  const Timeline* timeline = other.run->timeline();
  return timeline != nullptr && !timeline->waited_for_memory;
}

void ScheduledCase::plan(Candidate& candidate) {
  const ToBeat to_beat{.time = time_, .by_sizes = by_sizes_};
  std::optional<Case> fitted;
  if (candidate.room) fitted.emplace(which_).schedule_options.room = candidate.room;
  candidate.run =
      plan_with_margins(fitted ? *fitted : which_, schedule_, to_beat, candidate.buffers);
  candidate.far.reset();
  candidate.paper = {};
  if (!candidate.run || !std::holds_alternative<Plan>(candidate.run->plan)) return;
  const Iteration& about = candidate.run->about(which_);
  candidate.far = far_use(std::get<Plan>(candidate.run->plan), *about.graph, about.costs);
}

// The capacity of far memory is checked here and nowhere else, because no stage before the simulation knows how much of it
// a plan uses.
std::optional<Duration> ScheduledCase::simulate(Candidate& candidate) {
  if (!candidate.run) plan(candidate);
  if (!candidate.run) return std::nullopt;
  candidate.is_run = true;
  CaseRun& run = *candidate.run;
  Timeline& lent = candidate.buffers.timeline;
  if (run.outcome) {
    // Back to where it was lent from, with all that its vectors have grown to.
    if (auto* timeline = std::get_if<Timeline>(&*run.outcome)) lent = std::move(*timeline);
  }
  run.outcome.reset();
  run.far_overflow.reset();
  run.peak_far.reset();
  const Plan* plan = std::get_if<Plan>(&run.plan);
  if (plan == nullptr) return std::nullopt;
  const Iteration& about = run.about(which_);
  auto blocked = ooc::simulate({.plan = *plan,
                                .costs = about.costs,
                                .budget = run.allowed(which_),
                                .allocator = run.allocator(which_),
                                .records = records_ || !candidate.far},
                               candidate.buffers);
  if (blocked) {
    run.outcome.emplace(*std::move(blocked));
    return std::nullopt;
  }
  if (is_footprint(which_.accounting)) lent.peak_near = which_.in_core_peak;
  const Bytes far = candidate.far
                        ? peak_far_bytes(*candidate.far, lent)
                        : peak_far_by_category(*plan, *about.graph, about.costs, lent).total();
  if (far > which_.far_capacity) {
    if (!is_trial_) run.far_overflow = far_overflow(which_, run, lent, far);
    return std::nullopt;
  }
  run.peak_far = far;
  run.outcome.emplace(std::move(lent));
  return run.timeline()->iteration_time;
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

const RunReport& ScheduledCase::row() {
  (void)run();
  Candidate& best = answer();
  if (!best.report)
    return best.report.emplace(report_case(which_, asked_, *best.run, Detail::kTotals));
  RunReport& report = *best.report;
  report.inputs.transfers = which_.transfers;
  SummaryInput input = summary_of(which_, asked_, *best.run, report.inputs);
  input.detail = Detail::kTotals;
  input.paper = &best.paper;
  (void)summarize_run(input, report);
  report.sequence = sequence_rates(which_, report);
  return report;
}

CaseRun ScheduledCase::take() && { return *std::move(answer().run); }

CaseRun run_case(const Case& which, const Schedule& schedule, Bounds bounds) {
  ScheduledCase scheduled(which, schedule);
  (void)scheduled.run();
  CaseRun run = std::move(scheduled).take();
  if (bounds == Bounds::kAll) bound_run(which, schedule, run);
  return run;
}

namespace {

/// Makes the inputs a job with this schedule and the options that it reads. One that moves pages copies in modes of its
/// own, and places none: a job asks for others.
void ask_under(const Schedule& schedule, RunInputs& inputs) {
  const auto table = schedule_option_table();
  std::erase_if(inputs.asked, [&](const auto& asked) {
    return std::ranges::any_of(table, [&](const ScheduleOption& option) {
      return !reads(schedule, option.name) && option_key(option.name) == asked.first;
    });
  });
  ask(inputs.asked, "schedule", json_string(schedule.name));
  ask(inputs.asked, "mode", json_string(inputs.mode));
  ask(inputs.asked, "allocator", json_string(inputs.allocator));
}

}  // namespace

RunReport report_case(const Case& which, const Schedule& schedule, const CaseRun& run,
                      Detail detail) {
  RunInputs inputs = which.inputs;
  if (!inputs.asked.empty()) ask_under(schedule, inputs);
  inputs.schedule = schedule.name;
  inputs.mode = transfer_mode(schedule, inputs.mode);
  inputs.allocator = allocator_name(run.allocator(which));
  inputs.options = options_text(schedule, which.schedule_options);
  inputs.algorithms = algorithms_text(which, schedule);
  SummaryInput input = summary_of(which, schedule, run, inputs);
  input.assumed = assumed_in_use(which.hardware, inputs, framework_of(which.framework));
  input.detail = detail;
  RunReport report = summarize(input);
  report.sequence = sequence_rates(which, report);
  report.in_words = schedule.is(Trait::kOptimizes);
  report.remarks = which.remarks;
  if (which.errors) {
    report.errors = errors_of_kind(*which.errors, job_kind(which, schedule, &report));
  }
  report.norms_by_round = report.rounds > 1 && has_batch_norm(*which.workload.network);
  if (report.norms_by_round) report.remarks.push_back(norms_remark(report.sub_batch));
  const std::string stated = stated_times_remark(which.workload, which.compute);
  if (!stated.empty()) report.remarks.push_back(stated);
  if (gains_nothing(which, schedule)) report.remarks.push_back(one_pool_remark(which.hardware));
  if (which.moving) add_state_words(which, report);
  if (is_footprint(which.accounting)) report.peak_near_during.clear();  // no lifetimes
  report.planned_for = run.planned_for;
  report.allocator_limit = run.allocator_limit;
  report.keeps_gradients = run.keeps_gradients;
  if (run.keeps_gradients) report.remarks.push_back(kept_gradients_remark());
  if (run.planned_for) report.remarks.push_back(margin_remark(*run.planned_for, which.budget));
  return report;
}

RunReport predict(const Case& which, const Schedule& schedule, Detail detail, Bounds bounds) {
  return report_case(which, schedule, run_case(which, schedule, bounds), detail);
}

}  // namespace ooc
