// Beside the plan for all of memory those for less, of which the quickest that runs is taken (ADR 0051).
#include "simulator/predict/margins.hpp"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "model/cost/held_bytes.hpp"
#include "model/cost/transfer_cost.hpp"
#include "simulator/predict/planning.hpp"
#include "simulator/predict/round_costs.hpp"
#include "simulator/schedules/fitting_algorithms.hpp"
#include "simulator/schedules/option_table.hpp"
#include "simulator/schedules/own_options.hpp"

namespace ooc {

CaseRun run_within(const Case& which, const Schedule& schedule, Bytes budget) {
  DevicesResult planned = plan_job(which, schedule, budget);
  return {.plan = std::move(planned.plan),
          .far_overflow = {},
          .outcome = {},
          .bounds = {},
          .rounds = std::move(planned.rounds),
          .devices = std::move(planned.devices),
          .pages = schedule.is(Trait::kMovesPages)};
}

namespace {

[[nodiscard]] bool runs(const Case& which, const CaseRun& run, SimulationBuffers& buffers) {
  const Plan* plan = std::get_if<Plan>(&run.plan);
  if (plan == nullptr) return false;
  return !simulate({.plan = *plan,
                    .costs = run.costs(which),
                    .budget = run.allowed(which),
                    .allocator = run.allocator(which)},
                   buffers);
}

/// Steps between sizes of memory; planning by trial takes longer.
constexpr double kSmaller = 0.98;
constexpr double kSmallerByTrial = 0.94;

/// Sizes of memory, from just below a budget to two thirds of it, that plans are made for where a caching allocator
/// cannot hand out all of it: powers of `smaller_by`, whatever the budget, so that a larger one chooses from all that a
/// smaller one chooses from.
std::vector<Bytes> sizes_below(Bytes budget, double smaller_by) {
  const double step = std::log(smaller_by);
  const auto all = static_cast<double>(budget.count());
  std::vector<Bytes> sizes;
  for (double power = std::floor(std::log(all) / step) + 1;; ++power) {
    const double size = std::exp(power * step);
    if (size < all * 2 / 3) return sizes;
    sizes.emplace_back(static_cast<std::int64_t>(size));
  }
}

/// What every byte of memory would give.
std::optional<Duration> time_by_bytes(Case which, const Schedule& schedule,
                                      SimulationBuffers& buffers) {
  which.allocator = Allocator::kIdeal;
  const CaseRun run = run_within(which, schedule, which.budget);
  if (!runs(which, run, buffers)) return std::nullopt;
  return buffers.timeline.iteration_time;
}

/// Whether a plan for `budget` runs: as it would in a memory of that size, else with the rest for what the allocator
/// holds back.
bool runs_somehow(const Case& which, CaseRun& run, Bytes budget, SimulationBuffers& buffers) {
  run.planned_for = budget;
  run.allocator_limit = budget;
  if (runs(which, run, buffers)) return true;
  run.allocator_limit.reset();
  return runs(which, run, buffers);
}

Case with_half_the_link(Case which) {
  which.transfers.link_scale = Ratio(which.transfers.link_scale.count() / 2);
  estimate_transfers_into(which.costs.transfers, which.costs.tensor_bytes, which.hardware,
                          which.transfers);
  return which;
}

/// Plans fill memory to the byte. What a caching allocator cannot hand out then blocks them, and users
/// leave a margin: so does this, and takes the quickest. Whoever searches by trial does so in all of the memory, where
/// good plans may block: it tries in less, too, where one per cent or more is to gain; a long search only where nothing
/// runs. A plan that no margin helps stays what it was. What schedules try while they plan for less, they try in less.
CaseRun plan_with_margin(const Case& which, const Schedule& schedule, SimulationBuffers& buffers) {
  CaseRun run = run_within(which, schedule, which.budget);
  const bool may_block = run.allocator(which) == Allocator::kCaching &&
                         std::holds_alternative<Plan>(run.plan) && !is_footprint(which.accounting);
  if (!may_block) return run;
  const bool is_long = schedule.is(Trait::kOptimizes) || schedule.is(Trait::kSubBatches);
  const bool by_trial = schedule.is(Trait::kSearchesByTrial);
  std::optional<Duration> time;
  if (runs(which, run, buffers)) time = buffers.timeline.iteration_time;
  if (time && (is_long || !by_trial)) return run;
  std::int64_t enough = 0;
  if (by_trial && !is_long) {
    if (const auto best = time_by_bytes(which, schedule, buffers)) {
      enough = best->count() / 100 * 101;
    }
  }
  const auto is_enough = [&] { return time && (is_long || time->count() <= enough); };
  const auto take = [&](CaseRun other, Bytes budget) {
    if (std::holds_alternative<OutOfMemory>(other.plan)) return false;
    if (runs_somehow(which, other, budget, buffers) &&
        (!time || buffers.timeline.iteration_time < *time)) {
      time = buffers.timeline.iteration_time;
      run = std::move(other);
    }
    return true;
  };
  // What blocks with copies that come back as early as this link allows may run with a slower one's plan: half of it.
  const bool tries_link = by_trial && !is_long && which.devices == 1;
  std::optional<Case> slower;
  for (const Bytes budget : sizes_below(which.budget, by_trial ? kSmallerByTrial : kSmaller)) {
    if (is_enough()) return run;
    if (!take(run_within(which, schedule, budget), budget)) break;
    if (!tries_link || is_enough()) continue;
    if (!slower) slower.emplace(with_half_the_link(which));
    CaseRun half = run_within(*slower, schedule, budget);
    if (!half.rounds) take(std::move(half), budget);  // rounds would have that link's costs
  }
  if (which.costs.held.empty() || is_enough()) return run;
  // Between tensors that come and go gradients may leave holes that nothing fits into.
  Case fixed = which;
  fixed.costs = with_nothing_held(which.costs);
  CaseRun other = plan_with_margin(fixed, schedule, buffers);
  if (!runs(which, other, buffers)) return run;
  if (time && buffers.timeline.iteration_time >= *time) return run;
  other.keeps_gradients = true;
  return other;
}

}  // namespace

// As with a margin. A search is made twice, with freed gradients and with static ones, each with half of its plans: which
// of them leaves the better holes no rule tells. Whoever searches has tried the others' plans in all of the memory only:
// those that block there run in less, or with gradients that stay, and may still be quicker.
CaseRun plan_with_margins(const Case& which, const Schedule& schedule, SimulationBuffers& buffers) {
  const bool alone = which.devices == 1 && !which.moving && !is_footprint(which.accounting) &&
                     sub_batch_of(which, schedule).kind == SubBatch::Kind::kOff;
  const bool searches = alone && which.allocator == Allocator::kCaching &&
                        schedule.is(Trait::kOptimizes) && !which.schedule_options.any_plan &&
                        which.schedule_options.own->search.value_or(1) > 0;
  const bool twice = searches && !which.costs.held.empty();
  if (!searches) return plan_with_margin(which, schedule, buffers);
  Case other = which;
  if (twice) other.schedule_options.own.change().searches = 2;
  CaseRun run = plan_with_margin(other, schedule, buffers);
  if (!std::holds_alternative<Plan>(run.plan)) return run;
  std::optional<Duration> time;
  if (runs(which, run, buffers)) time = buffers.timeline.iteration_time;
  if (twice && !run.keeps_gradients) {
    other.costs = with_nothing_held(which.costs);
    CaseRun fixed = plan_with_margin(other, schedule, buffers);
    if (runs(which, fixed, buffers) && (!time || buffers.timeline.iteration_time < *time)) {
      time = buffers.timeline.iteration_time;
      run = std::move(fixed);
      run.keeps_gradients = true;
    }
    other.costs = which.costs;
  }
  const std::vector<Bytes> rooms =
      algorithm_rooms(which.workload.graph, which.costs, which.budget);
  for (const Schedule* each : schedules()) {
    if (each == &schedule || each->is(Trait::kMovesPages)) continue;
    const bool chooses = reads(*each, "--algorithms");
    for (const Bytes room : {rooms.front(), rooms.back()}) {
      if (room > rooms.front() && !chooses) continue;
      other.schedule_options = {};
      other.schedule_options.room = room;
      other.schedule_options.sub_batch = {.kind = SubBatch::Kind::kOff};
      CaseRun quicker = plan_with_margin(other, *each, buffers);
      if (!runs(which, quicker, buffers)) continue;
      if (time && buffers.timeline.iteration_time >= *time) continue;
      time = buffers.timeline.iteration_time;
      run = std::move(quicker);
    }
  }
  return run;
}

}  // namespace ooc
