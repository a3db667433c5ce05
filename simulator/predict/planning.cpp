// Who plans what, from the inside out: a round (the schedule), a device's rounds, pages or compressed tensors,
// all devices; then what the framework and pageable copies do to any plan. The footprint accountings are judged here: they have no
// lifetimes, so only in-core can be planned by them.
#include "simulator/predict/planning.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "simulator/plan/wait_as_framework.hpp"
#include "simulator/predict/compressed_plan.hpp"
#include "simulator/predict/framework_choice.hpp"
#include "simulator/predict/paged_plan.hpp"
#include "simulator/predict/round_costs.hpp"
#include "simulator/schedules/sub_batch.hpp"
#include "simulator/summary/memory_use.hpp"

namespace ooc {
namespace {

/// What copies wait for beyond what the schedule says; none: nothing.
std::optional<Plan> as_it_runs(const Case& which, const Plan& plan) {
  std::optional<Plan> rewritten;
  const CopyRules& rules = framework_of(which.framework).copies;
  if (change_plans(rules)) rewritten = wait_as_framework(plan, rules);
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
PlanningProblem problem_of(const Case& which, const CostTable& costs, Bytes budget) {
  Bytes all;
  for (const Bytes bytes : costs.tensor_bytes) all += bytes;
  if (framework_of(which.framework).copies.far_powers_of_two) all += all;
  const Bytes far = which.far_capacity;
  const auto evaluate = [&which, &costs, budget, far, may_overflow = all > far,
                         run = std::make_shared<TrialRun>()](const Plan& plan) {
    run->rewritten = as_it_runs(which, plan);
    const Plan& runs = run->rewritten ? *run->rewritten : plan;
    const Timeline& timeline = run->buffers.timeline;
    if (simulate({.plan = runs, .costs = costs, .budget = budget, .allocator = which.allocator},
                 run->buffers)) {
      return Trial{};
    }
    if (may_overflow && peak_far_bytes(runs, which.workload.graph, costs, timeline) > far) {
      return Trial{};
    }
    return Trial{.iteration_time = timeline.iteration_time, .plan = &runs, .timeline = &timeline};
  };
  return {.graph = which.workload.graph,
          .costs = costs,
          .budget = budget,
          .options = which.schedule_options,
          .evaluate = evaluate};
}

/// For a schedule that itself chooses how many rounds it runs in, by trying.
std::function<Trial(const Plan&, const CostTable&)> trial_of_rounds(const Case& which,
                                                                    const Schedule& schedule,
                                                                    Bytes budget) {
  if (!schedule.is(Trait::kSubBatches) && !schedule.is(Trait::kTriesRounds)) return {};
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

RoundsResult plan_one_device(const Case& which, const Schedule& schedule, Bytes budget) {
  const SubBatch sub_batch = sub_batch_of(which, schedule);
  const auto plan_round = [&](const CostTable& costs) {
    return schedule.make_plan(problem_of(which, costs, budget));
  };
  RoundsResult result;
  if (is_footprint(which.accounting)) {
    result.plan = plan_footprint(which, schedule);
  } else if (schedule.is(Trait::kMovesPages)) {
    result = plan_in_pages(which, schedule, budget, sub_batch);
  } else if (compresses(schedule, which.schedule_options)) {
    result = plan_compressed(which, problem_of(which, which.costs, budget));
  } else if (sub_batch.kind == SubBatch::Kind::kOff) {
    result.plan = plan_round(which.costs);
  } else {
    result =
        plan_in_rounds({.graph = which.workload.graph,
                        .costs = which.costs,
                        .budget = budget,
                        .sub_batch = sub_batch,
                        .costs_at = [&](std::int64_t batch) { return round_costs(which, batch); },
                        .plan = plan_round,
                        .evaluate = trial_of_rounds(which, schedule, budget)});
  }
  return result;
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
    if (auto rewritten = as_it_runs(which, *plan)) result.plan = *std::move(rewritten);
  }
  return result;
}

}  // namespace ooc
