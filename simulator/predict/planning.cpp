// Who plans what, from the inside out: a round (the schedule), a device's rounds, pages or compressed tensors,
// all devices; then what the framework and pageable copies do to any plan. The footprint accountings are judged here: they have no
// lifetimes, so only in-core can be planned by them.
#include "simulator/predict/planning.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "model/cost/held_bytes.hpp"
#include "simulator/plan/wait_as_framework.hpp"
#include "simulator/predict/compressed_plan.hpp"
#include "simulator/predict/framework_choice.hpp"
#include "simulator/predict/moving_plan.hpp"
#include "simulator/predict/paged_plan.hpp"
#include "simulator/predict/round_costs.hpp"
#include "simulator/schedules/fitting_algorithms.hpp"
#include "simulator/schedules/own_options.hpp"
#include "simulator/schedules/sub_batch.hpp"
#include "simulator/summary/memory_use.hpp"

namespace ooc {
namespace {

/// With what copies wait for beyond what the schedule says, and gradients in blocks of their own where `costs` have them so;
/// none: as it is.
std::optional<Plan> as_it_runs(const Case& which, const CostTable& costs, const Plan& plan) {
  std::optional<Plan> rewritten;
  const CopyRules& rules = framework_of(which.framework).copies;
  const bool frees = !costs.held.empty() && plan.static_bytes == costs.static_bytes;
  if (change_plans(rules) || frees) {
    rewritten = wait_as_framework(
        plan, rules, frees ? Stays{.held = costs.held, .inputs = costs.held_inputs} : Stays{});
  }
  if (which.transfers.mode == CopyMode::kPageable) {
    rewritten = serialize_copies(rewritten ? *rewritten : plan);
  }
  return rewritten;
}

/// What a trial writes: the next one does so in the same memory.
struct TrialRun {
  std::optional<Plan> rewritten;
  SimulationBuffers buffers;
};

/// What a schedule is handed. Trials run with the job's own allocator and copies that wait, as the plan itself will. A
/// plan that overflows far memory does not run.
PlanningProblem problem_of(const Case& which, const TrainingGraph& graph, const CostTable& costs,
                           Bytes budget) {
  Bytes all;
  for (const Bytes bytes : costs.tensor_bytes) all += bytes;
  if (framework_of(which.framework).copies.far_powers_of_two) all += all;
  const Bytes far = which.far_capacity;
  const auto evaluate = [&which, &graph, &costs, budget, far, may_overflow = all > far,
                         run = std::make_shared<TrialRun>()](const Plan& plan) {
    run->rewritten = as_it_runs(which, costs, plan);
    const Plan& runs = run->rewritten ? *run->rewritten : plan;
    const Timeline& timeline = run->buffers.timeline;
    if (simulate({.plan = runs,
                  .costs = costs,
                  .budget = budget,
                  .allocator = which.allocator,
                  .records = may_overflow},
                 run->buffers)) {
      return Trial{};
    }
    if (may_overflow && peak_far_by_category(runs, graph, costs, timeline).total() > far) {
      return Trial{.overflows_far = true};
    }
    return Trial{.iteration_time = timeline.iteration_time, .plan = &runs, .timeline = &timeline};
  };
  PlanningProblem problem{.graph = graph,
                          .costs = costs,
                          .budget = budget,
                          .options = which.schedule_options,
                          .evaluate = evaluate};
  fit_algorithms(problem);
  return problem;
}

PlanningProblem problem_of(const Case& which, const CostTable& costs, Bytes budget) {
  return problem_of(which, which.workload.graph, costs, budget);
}

/// For a schedule that chooses by trying how many rounds it runs in.
std::function<Trial(const Plan&, const CostTable&)> trial_of_rounds(const Case& which,
                                                                    const Schedule& schedule,
                                                                    Bytes budget) {
  if (!schedule.is(Trait::kOptimizes) || which.schedule_options.any_plan) return {};
  return [&which, budget](const Plan& plan, const CostTable& costs) {
    return problem_of(which, costs, budget).evaluate(plan);
  };
}

/// In-core under an accounting without lifetimes: the footprint decides, the times are the plan's.
PlanResult plan_footprint(const Case& which, const Schedule& schedule) {
  if (which.in_core_peak > which.budget) {
    const Bytes fixed = which.costs.static_bytes;
    const Bytes free(std::max<std::int64_t>(0, which.budget.count() - fixed.count()));
    return OutOfMemory{.step = "the whole iteration",
                       .wanted = which.in_core_peak - fixed,
                       .free = free,
                       .largest_hole = free,
                       .holders = {},
                       .smallest_budget = which.in_core_peak,
                       .tier = OutOfMemory::Tier::kNear};
  }
  return schedule.make_plan(problem_of(which, which.costs, simulated_budget(which)));
}

RoundsResult plan_rounds(const Case& which, const Schedule& schedule, Bytes budget,
                         const ScheduleOptions& options) {
  const auto plan_round = [&](const CostTable& costs) {
    PlanningProblem problem = problem_of(which, costs, budget);
    problem.options = options;
    fit_algorithms(problem);
    return schedule.make_plan(problem);
  };
  return plan_in_rounds({.graph = which.workload.graph,
                         .costs = which.costs,
                         .budget = budget,
                         .sub_batch = options.sub_batch,
                         .costs_at = [&](std::int64_t batch) { return round_costs(which, batch); },
                         .plan = plan_round,
                         .evaluate = trial_of_rounds(which, schedule, budget)});
}

/// None: it does not fit, or does not run.
std::optional<Duration> time_of(const Case& which, const RoundsResult& result, Bytes budget) {
  const Plan* plan = std::get_if<Plan>(&result.plan);
  if (plan == nullptr) return std::nullopt;
  const TrainingGraph& graph = result.rounds ? result.rounds->graph : which.workload.graph;
  const CostTable& costs = result.rounds ? result.rounds->costs : which.costs;
  return problem_of(which, graph, costs, budget).evaluate(*plan).iteration_time;
}

/// The quickest of: the batch at once; as many rounds as are best by short searches, then searched as usual; what
/// schedules that run in rounds by themselves, and in-core, make of it.
RoundsResult plan_quickest_rounds(const Case& which, const Schedule& schedule, Bytes budget) {
  constexpr std::int64_t kShortSearch = 200;
  ScheduleOptions options = which.schedule_options;
  options.sub_batch = {.kind = SubBatch::Kind::kAuto};
  options.own.change().search = std::min(options.own->search.value_or(kShortSearch), kShortSearch);
  RoundsResult best = plan_rounds(which, schedule, budget, options);
  std::optional<Duration> time = time_of(which, best, budget);
  const auto consider = [&](RoundsResult other) {
    const std::optional<Duration> taken = time_of(which, other, budget);
    if (!taken || (time && *taken >= *time)) return;
    time = taken;
    best = std::move(other);
  };
  options.own = which.schedule_options.own;
  if (best.rounds) {
    options.sub_batch = {.kind = SubBatch::Kind::kSize, .samples = best.rounds->sub_batch};
    consider(plan_rounds(which, schedule, budget, options));
  }
  consider({schedule.make_plan(problem_of(which, which.costs, budget)), nullptr});
  options.sub_batch = {.kind = SubBatch::Kind::kAuto};
  options.room = Bytes(0);
  consider(plan_rounds(which, *find_schedule("in-core"), budget, options));
  for (const Schedule* other : schedules()) {
    if (other->is(Trait::kSubBatches)) consider(plan_rounds(which, *other, budget, options));
  }
  return best;
}

RoundsResult plan_one_device(const Case& which, const Schedule& schedule, Bytes budget) {
  const SubBatch sub_batch = sub_batch_of(which, schedule);
  if (which.moving) return plan_with_state(which, schedule, budget, problem_of);
  const bool other_tensors =
      schedule.is(Trait::kMovesPages) || compresses(schedule, which.schedule_options);
  if (other_tensors && !which.costs.held.empty()) {
    Case fixed = which;
    fixed.costs = with_nothing_held(which.costs);
    return plan_one_device(fixed, schedule, budget);
  }
  if (is_footprint(which.accounting)) return {plan_footprint(which, schedule), nullptr};
  if (schedule.is(Trait::kMovesPages)) return plan_in_pages(which, schedule, budget, sub_batch);
  if (compresses(schedule, which.schedule_options)) {
    return plan_compressed(which, problem_of(which, which.costs, budget));
  }
  if (sub_batch.kind == SubBatch::Kind::kOff) {
    return {schedule.make_plan(problem_of(which, which.costs, budget)), nullptr};
  }
  if (sub_batch.kind == SubBatch::Kind::kAuto && schedule.is(Trait::kOptimizes)) {
    return plan_quickest_rounds(which, schedule, budget);
  }
  ScheduleOptions options = which.schedule_options;
  options.sub_batch = sub_batch;
  return plan_rounds(which, schedule, budget, options);
}

}  // namespace

bool is_footprint(Accounting accounting) {
  return accounting == Accounting::kSharedGradients || accounting == Accounting::kAllGradients;
}

Bytes simulated_budget(const Case& which) {
  return is_footprint(which.accounting) ? Bytes(kMaxTotalBytes) : which.budget;
}

DevicesResult plan_job(const Case& which, const Schedule& schedule, Bytes budget) {
  const auto plan_share = [&](const Case& share) {
    return plan_one_device(share, schedule, budget);
  };
  if (compresses(schedule, which.schedule_options)) {
    check_compression(sub_batch_of(which, schedule));
  }
  DevicesResult result;
  if (which.devices > 1) {
    result = plan_on_devices(which, plan_share);
  } else {
    RoundsResult one = plan_share(which);
    result = {std::move(one.plan), std::move(one.rounds), nullptr};
  }
  const Plan* plan = std::get_if<Plan>(&result.plan);
  if (plan != nullptr && !schedule.is(Trait::kMovesPages)) {
    const CostTable& costs = result.devices  ? result.devices->costs
                             : result.rounds ? result.rounds->costs
                                             : which.costs;
    if (auto rewritten = as_it_runs(which, costs, *plan)) result.plan = *std::move(rewritten);
  }
  return result;
}

}  // namespace ooc
