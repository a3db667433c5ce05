// Beside the plan for all of memory those for less, of which the quickest that runs is taken (docs/notebook/0051).
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "model/cost/cost_table.hpp"
#include "model/cost/transfer_cost.hpp"
#include "simulator/predict/planning.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "simulator/schedules/footprint.hpp"
#include "simulator/schedules/own_options.hpp"

namespace ooc {
namespace {

/// The schedule's plan for such a memory, not simulated yet.
CaseRun run_within(const Case& which, const Schedule& schedule, Bytes budget) {
  CaseRun run{plan_job(which, schedule, budget)};
  run.pages = schedule.is(Trait::kMovesPages);
  return run;
}

/// True if the plan runs, and host memory holds what it moves there.
[[nodiscard]] bool runs(const Case& which, const CaseRun& run, SimulationBuffers& buffers) {
  const Plan* plan = std::get_if<Plan>(&run.plan);
  if (plan == nullptr) return false;
  const Iteration& about = run.about(which);
  const bool blocked = simulate({.plan = *plan,
                                 .costs = about.costs,
                                 .budget = run.allowed(which),
                                 .allocator = run.allocator(which)},
                                buffers)
                           .has_value();
  if (blocked) return false;
  const std::optional<FarUse> far = far_use(*plan, *about.graph, about.costs);
  return !far || peak_far_bytes(*far, buffers.timeline) <= which.far_capacity;
}

/// Sizes of memory, from just below a budget to two thirds of it, that plans are made for where a caching allocator
/// cannot hand out all of it: powers of 0.98 (of 0.94 where plans are found by trial, which takes longer), whatever
/// the budget, so that a larger one chooses from all that a smaller one chooses from.
std::vector<Bytes> sizes_below(Bytes budget, bool by_trial) {
  const double step = std::log(by_trial ? 0.94 : 0.98);
  const auto all = static_cast<double>(budget.count());
  std::vector<Bytes> sizes;
  for (double power = std::floor(std::log(all) / step) + 1;; ++power) {
    const double size = std::exp(power * step);
    if (size < all * 2 / 3) return sizes;
    sizes.emplace_back(static_cast<std::int64_t>(size));
  }
}

Case with_half_the_link(Case which) {
  which.transfers.link_scale = Ratio(which.transfers.link_scale.count() / 2);
  estimate_transfers_into(which.costs.transfers, which.costs.link_bytes(), which.hardware,
                          which.transfers);
  return which;
}

/// The quickest of plans for one job, as they are tried.
class Quickest {
 public:
  Quickest(const Case& which, std::optional<Duration> to_beat, SimulationBuffers& buffers)
      : which_(which), to_beat_(to_beat), buffers_(buffers) {}

  /// Whether a plan that takes at least so long is not the quickest.
  [[nodiscard]] bool loses(Duration least) const {
    return (time_ && least >= *time_) || (to_beat_ && least > *to_beat_);
  }

  /// `planned` is the job, or the job with gradients that stay. False: the plan does not run.
  bool take(CaseRun run, const Case& planned) {
    run.keeps_gradients = planned.costs.held.empty() && !which_.costs.held.empty();
    if (!runs(which_, run, buffers_)) return false;
    const Duration time = buffers_.timeline.iteration_time;
    if (!time_ || time < *time_) {
      time_ = time;
      run_ = std::move(run);
    }
    return true;
  }
  [[nodiscard]] const std::optional<Duration>& time() const { return time_; }
  [[nodiscard]] CaseRun run() && { return *std::move(run_); }

 private:
  const Case& which_;
  std::optional<Duration> to_beat_;
  SimulationBuffers& buffers_;
  std::optional<Duration> time_;
  std::optional<CaseRun> run_;
};

/// What a plan for less may take that was not chosen by its time: now and then it copies less at once.
Duration less_by_chance(Duration time) { return Duration(time.count() / 21 * 20); }

/// Where the job fits in core, the schedule's plan for plenty of memory is taken if it runs: no size below may have room.
bool take_roomy(const Case& which, const Case& planned, const Schedule& schedule,
                SimulationBuffers& buffers, Quickest& quickest) {
  Case roomy = planned;
  roomy.budget += roomy.budget;
  roomy.allocator = Allocator::kIdeal;
  const bool fits = runs(which, run_within(roomy, *find_schedule("in-core"), roomy.budget), buffers);
  return fits && quickest.take(run_within(roomy, schedule, roomy.budget), planned);
}

/// Tries a plan for each size, in the least memory of these sizes in which it runs, until one would be slower than what was
/// found if every byte of memory were handed out.
void try_sizes(const Case& planned, const Schedule& schedule, bool has_roomy,
               SimulationBuffers& buffers, Quickest& quickest) {
  const bool by_trial = schedule.is(Trait::kSearchesByTrial);
  const std::vector<Bytes> sizes = sizes_below(planned.budget, by_trial);
  Case ideal = planned;
  ideal.allocator = Allocator::kIdeal;
  std::optional<Case> slower;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    ideal.budget = sizes[i];
    CaseRun run = run_within(ideal, schedule, sizes[i]);
    ideal.budget = sizes.front();
    if (!runs(ideal, run, buffers)) return;
    const Duration least = buffers.timeline.iteration_time;
    const Bytes peak = buffers.timeline.peak_near;
    if (quickest.loses(by_trial || has_roomy ? least : less_by_chance(least))) return;
    if (quickest.loses(least)) continue;
    if (by_trial) run = run_within(planned, schedule, sizes[i]);
    const auto take = [&](CaseRun plan) {
      if (i > 0) plan.planned_for = sizes[i];
      for (std::size_t memory = i + 1; memory-- > 0;) {
        plan.allocator_limit = sizes[memory];
        if (quickest.take(plan, planned)) return;
      }
    };
    take(std::move(run));
    if (i == 0 && !by_trial && quickest.time() == least) {
      // A plan that no size binds is the plan for all of them.
      ideal.budget = sizes.back();
      const bool has_run = runs(ideal, run_within(ideal, schedule, sizes.back()), buffers);
      if (has_run && buffers.timeline.iteration_time == least && buffers.timeline.peak_near == peak)
        return;
      ideal.budget = sizes.front();
    }
    // What blocks with copies that come back as early as this link allows may run with a slower one's plan: half of it.
    if (!by_trial || planned.devices > 1 || quickest.loses(least)) continue;
    if (!slower) slower.emplace(with_half_the_link(planned));
    CaseRun half = run_within(*slower, schedule, sizes[i]);
    if (!half.iteration) take(std::move(half));  // rounds would have that link's costs
  }
}

/// Tries plans for the sizes, until one runs in its size or in all of memory.
void try_less(const Case& planned, const Schedule& schedule, Quickest& quickest) {
  for (const Bytes size : sizes_below(planned.budget, schedule.is(Trait::kSearchesByTrial))) {
    CaseRun run = run_within(planned, schedule, size);
    if (std::holds_alternative<OutOfMemory>(run.plan)) return;
    run.planned_for = size;
    CaseRun limited = run;
    limited.allocator_limit = size;
    if (quickest.take(std::move(limited), planned) || quickest.take(std::move(run), planned))
      return;
  }
}

/// Plans fill memory to the byte. What a caching allocator cannot hand out then blocks them, and users leave a margin: so
/// does this. Plans are made for sizes that do not depend on the budget, and run in a memory of that size, as PyTorch's
/// set_per_process_memory_fraction has it: more memory chooses from all that less chooses from. Where none runs, and of
/// long searches and in core, the first that runs stands. A plan that no margin helps stays what it was.
std::optional<CaseRun> plan_with_margin(const Case& which, const Schedule& schedule, ToBeat to_beat,
                                        SimulationBuffers& buffers) {
  const bool may_block = which.allocator == Allocator::kCaching &&
                         !schedule.is(Trait::kMovesPages) && !is_footprint(which.accounting);
  if (!may_block) return run_within(which, schedule, which.budget);
  // In core there is one plan, whatever the size.
  const bool is_one = schedule.is(Trait::kMovesNothing) && !schedule.is(Trait::kRecomputes);
  const bool takes_first =
      is_one || schedule.is(Trait::kOptimizes) || schedule.is(Trait::kSubBatches);
  // Between tensors that come and go gradients may leave holes that nothing fits into: they may stay instead.
  std::vector<Case> planned{which};
  if (!which.costs.held.empty()) {
    planned.push_back(which);
    planned.back().costs = with_nothing_held(which.costs);
  }
  Quickest quickest(which, to_beat.time, buffers);
  for (const Case& each : planned) {
    if (takes_first) continue;
    const bool has_roomy = take_roomy(which, each, schedule, buffers, quickest);
    try_sizes(each, schedule, has_roomy, buffers, quickest);
  }
  if (quickest.time()) return std::move(quickest).run();
  if (!takes_first && to_beat.by_sizes) return std::nullopt;
  CaseRun all = run_within(which, schedule, which.budget);
  if (std::holds_alternative<OutOfMemory>(all.plan)) return all;
  for (const Case& each : planned) {
    const bool is_first = &each == planned.data();
    if (!quickest.take(is_first ? all : run_within(each, schedule, each.budget), each)) {
      try_less(each, schedule, quickest);
    }
    if (quickest.time()) return std::move(quickest).run();
  }
  return all;
}

}  // namespace

// As with a margin. A search is made twice, with freed gradients and with static ones, each with half of its plans: which
// of them leaves the better holes no rule tells. Whoever searches has tried the others' plans in all of the memory only:
// those that block there run in less, or with gradients that stay, and may still be quicker.
std::optional<CaseRun> plan_with_margins(const Case& which, const Schedule& schedule,
                                         ToBeat to_beat, SimulationBuffers& buffers) {
  const bool alone = which.devices == 1 && !which.moving && !is_footprint(which.accounting) &&
                     sub_batch_of(which, schedule).kind == SubBatch::Kind::kOff;
  const bool searches = alone && which.allocator == Allocator::kCaching &&
                        schedule.is(Trait::kOptimizes) && !which.schedule_options.any_plan &&
                        which.schedule_options.own->search.value_or(1) > 0;
  const bool twice = searches && !which.costs.held.empty();
  if (!searches) return plan_with_margin(which, schedule, to_beat, buffers);
  Case other = which;
  if (twice) other.schedule_options.own.change().searches = 2;
  CaseRun run = *plan_with_margin(other, schedule, {}, buffers);
  if (!std::holds_alternative<Plan>(run.plan)) return run;
  std::optional<Duration> time;
  if (runs(which, run, buffers)) time = buffers.timeline.iteration_time;
  if (twice && !run.keeps_gradients) {
    other.costs = with_nothing_held(which.costs);
    CaseRun fixed = *plan_with_margin(other, schedule, {}, buffers);
    if (runs(which, fixed, buffers) && (!time || buffers.timeline.iteration_time < *time)) {
      time = buffers.timeline.iteration_time;
      run = std::move(fixed);
      run.keeps_gradients = true;
    }
    other.costs = which.costs;
  }
  std::vector<Bytes> rooms = algorithm_rooms(which.workload.graph, which.costs, which.budget);
  std::ranges::reverse(rooms);
  for (const Contender& each : contenders({}, {Trait::kOptimizes, Trait::kMovesPages}, rooms)) {
    other.schedule_options = each.options;
    other.schedule_options.sub_batch = {.kind = SubBatch::Kind::kOff};
    if (time && least_time(other, *each.schedule, each.options.room) >= *time) continue;
    std::optional<CaseRun> quicker = plan_with_margin(
        other, *each.schedule, {.time = time, .by_sizes = time.has_value()}, buffers);
    if (!quicker || !runs(which, *quicker, buffers)) continue;
    if (time && buffers.timeline.iteration_time >= *time) continue;
    time = buffers.timeline.iteration_time;
    run = *std::move(quicker);
  }
  return run;
}

}  // namespace ooc
