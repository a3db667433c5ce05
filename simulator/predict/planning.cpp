// Who plans what, from the inside out: a round (the schedule), a device's rounds, pages or compressed tensors,
// what devices sum (the table of passes); then what the framework and pageable copies do to any plan. The footprint accountings are judged here: they have no
// lifetimes, so only in-core can be planned by them.
#include "simulator/predict/planning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "model/base/errors.hpp"
#include "model/cost/compute_cost.hpp"
#include "model/cost/cost_table.hpp"
#include "model/cost/transfer_cost.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/plan/wait_as_framework.hpp"
#include "simulator/plan/weave_state.hpp"
#include "simulator/schedules/footprint.hpp"
#include "simulator/schedules/lms_compress.hpp"
#include "simulator/schedules/own_options.hpp"
#include "simulator/summary/memory_use.hpp"

namespace ooc {
namespace {

/// With what copies wait for beyond what the schedule says, and gradients in blocks of their own where `costs` have them so;
/// none: as it is.
std::optional<Plan> as_it_runs(const Case& which, const CostTable& costs, const Plan& plan) {
  const CopyRules& rules = framework_of(which.framework).copies;
  const CopyMode mode = which.transfers.mode;
  const bool frees = !costs.held.empty() && plan.static_bytes == costs.static_bytes;
  if (!change_plans(rules, mode) && !frees) return std::nullopt;
  return wait_as_framework(
      plan, rules, mode, frees ? Stays{.held = costs.held, .inputs = costs.held_inputs} : Stays{});
}

/// What a trial writes: the next one does so in the same memory.
struct TrialRun {
  std::optional<Plan> rewritten;
  SimulationBuffers buffers;
};

PlanningProblem problem_of(const Case& which, const CostTable& costs, Bytes budget) {
  return problem_of(which, which.workload.graph, costs, budget);
}

/// The iteration's time where all fits: what a search cannot get below, launches included.
Duration time_with_room(const Case& which, const CostTable& costs) {
  PlanningProblem roomy = problem_of(which, costs, Bytes(kMaxTotalBytes));
  roomy.options.algorithms = AlgorithmChoice::kPerformance;
  const PlanResult made = find_schedule("in-core")->make_plan(roomy);
  const Plan* plan = std::get_if<Plan>(&made);
  return plan == nullptr ? Duration() : roomy.evaluate(*plan).iteration_time.value_or(Duration());
}

PlanResult plan_with(const Case& which, const Schedule& schedule, PlanningProblem problem) {
  if (schedule.is(Trait::kOptimizes)) problem.least_time = time_with_room(which, problem.costs);
  return schedule.make_plan(problem);
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
PlannedIteration plan_footprint(const Case& which, const Schedule& schedule, Bytes /*budget*/) {
  if (which.in_core_peak > which.budget) {
    const Bytes fixed = which.costs.static_bytes;
    const Bytes free(std::max<std::int64_t>(0, which.budget.count() - fixed.count()));
    return {OutOfMemory{.step = "the whole iteration",
                        .wanted = which.in_core_peak - fixed,
                        .free = free,
                        .largest_hole = free,
                        .smallest_budget = which.in_core_peak,
                        .tier = OutOfMemory::Tier::kNear}};
  }
  return {schedule.make_plan(problem_of(which, which.costs, simulated_budget(which)))};
}

PlannedIteration plan_rounds(const Case& which, const Schedule& schedule, Bytes budget,
                             const ScheduleOptions& options) {
  const auto plan_round = [&](const CostTable& costs) {
    PlanningProblem problem = problem_of(which, costs, budget);
    problem.options = options;
    fit_algorithms(problem);
    return plan_with(which, schedule, std::move(problem));
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
std::optional<Duration> time_of(const Case& which, const PlannedIteration& result, Bytes budget) {
  const Plan* plan = std::get_if<Plan>(&result.plan);
  if (plan == nullptr) return std::nullopt;
  const Iteration& about = result.iteration ? *result.iteration : which;
  return problem_of(which, *about.graph, about.costs, budget).evaluate(*plan).iteration_time;
}

/// The quickest of: the batch at once; as many rounds as are best by short searches, then searched as usual; what
/// schedules that run in rounds by themselves, and in-core, make of it.
PlannedIteration plan_quickest_rounds(const Case& which, const Schedule& schedule, Bytes budget) {
  constexpr std::int64_t kShortSearch = 200;
  ScheduleOptions options = which.schedule_options;
  options.sub_batch = {.kind = SubBatch::Kind::kAuto};
  options.own.change().search = std::min(options.own->search.value_or(kShortSearch), kShortSearch);
  PlannedIteration best = plan_rounds(which, schedule, budget, options);
  std::optional<Duration> time = time_of(which, best, budget);
  const auto consider = [&](PlannedIteration other) {
    const std::optional<Duration> taken = time_of(which, other, budget);
    if (!taken || (time && *taken >= *time)) return;
    time = taken;
    best = std::move(other);
  };
  options.own = which.schedule_options.own;
  if (best.iteration) {
    options.sub_batch = {.kind = SubBatch::Kind::kSize, .samples = best.iteration->sub_batch};
    consider(plan_rounds(which, schedule, budget, options));
  }
  consider({plan_with(which, schedule, problem_of(which, which.costs, budget))});
  options.sub_batch = {.kind = SubBatch::Kind::kAuto};
  options.room = Bytes(0);
  consider(plan_rounds(which, *find_schedule("in-core"), budget, options));
  for (const Contender& other : contenders({Trait::kSubBatches}, {}, {&*options.room, 1})) {
    consider(plan_rounds(which, *other.schedule, budget, options));
  }
  return best;
}

PlannedIteration plan_compressed(const Case& which, const Schedule& /*schedule*/, Bytes budget) {
  const PlanningProblem problem = problem_of(which, which.costs, budget);
  const auto elementwise = [&](std::int64_t flops, std::int64_t bytes) {
    return elementwise_cost(problem.graph, which.hardware, which.compute, flops, bytes);
  };
  const auto costs_of = [&](const Compression& compression) {
    CostTable costs = compressed_costs(compression, problem.costs, elementwise);
    costs.transfers = estimate_transfers(costs.link_bytes(), which.hardware, which.transfers);
    return costs;
  };
  return plan_with_compression({.problem = problem, .costs_of = costs_of});
}

PlannedIteration plan_in_micro_batches(const Case& which, const Schedule& schedule, Bytes budget) {
  const SubBatch sub_batch = sub_batch_of(which, schedule);
  if (sub_batch.kind == SubBatch::Kind::kAuto && schedule.is(Trait::kOptimizes)) {
    return plan_quickest_rounds(which, schedule, budget);
  }
  ScheduleOptions options = which.schedule_options;
  options.sub_batch = sub_batch;
  return plan_rounds(which, schedule, budget, options);
}

PlannedIteration plan_passes(const Case& which, const Schedule& schedule, Bytes budget);

// The device with the most samples stands for all: each has an equal share of what a host gives together. Whatever its
// plan, gradients are summed behind what completes them, before the updates.
PlannedIteration plan_on_devices(const Case& which, const Schedule& schedule, Bytes budget) {
  const SubBatch& sub_batch = which.schedule_options.sub_batch;
  if (sub_batch.kind == SubBatch::Kind::kSize && sub_batch.samples > which.sub_batch) {
    bad_value("--sub-batch", std::to_string(sub_batch.samples),
              fmt::format("a number from 1 to {}, the largest share of a device", which.sub_batch));
  }
  Case alone = which;
  alone.devices = 1;
  PlannedIteration planned = plan_passes(alone, schedule, budget);
  const Plan* plan = std::get_if<Plan>(&planned.plan);
  if (plan == nullptr) return planned;
  const Iteration& share = planned.iteration ? *planned.iteration : which;
  const StateOptions sums{.pipelined = which.exchange == Exchange::kOverlap,
                          .devices = which.devices};
  auto all = std::make_shared<const Iteration>(with_state(
      which, std::make_shared<const MovingState>(move_state(*share.graph, sums)), share));
  return {weave_state(*plan, *all->moving, all->costs), std::move(all)};
}

bool in_micro_batches(const PassJob& job) {
  return job.schedule != nullptr &&
         sub_batch_of(job.accounting, job.options, *job.schedule).kind != SubBatch::Kind::kOff;
}

std::string asks_devices(const PassJob& job) {
  return job.devices > 1 ? fmt::format("--devices {}", job.devices) : "";
}

std::string asks_footprint(const PassJob& job) {
  return is_footprint(job.accounting)
             ? fmt::format("--accounting {}", accounting_name(job.accounting))
             : "";
}
std::vector<Exclusion> footprint_without(const PassJob& job) {
  if (job.schedule == nullptr) return {};
  const Schedule& schedule = *job.schedule;
  return {{!schedule.is(Trait::kMovesNothing) || schedule.is(Trait::kRecomputes),
           fmt::format("the schedule {}", schedule.name), "use liveness or define-by-run",
           "the others have no lifetimes: use them with the schedule in-core or with `inspect`"}};
}

std::string asks_compression(const PassJob& job) {
  return job.schedule != nullptr && compresses(*job.schedule, job.options) ? "--lms-action" : "";
}
std::vector<Exclusion> compression_without(const PassJob& job) {
  return {{in_micro_batches(job), "micro-batches", "use --sub-batch off, or --lms-action swap",
           "they are planned on the network's own graph"}};
}

std::string asks_micro_batches(const PassJob& job) {
  return in_micro_batches(job) ? "--sub-batch" : "";
}

constexpr Pass kPasses[] = {
    {&asks_devices, nullptr, &plan_on_devices},
    {&asks_moving_state, &moving_state_without, &plan_with_state},
    {&asks_footprint, &footprint_without, &plan_footprint},
    {&asks_pages, &pages_without, &plan_in_pages, true},
    {&asks_compression, &compression_without, &plan_compressed, true},
    {&asks_micro_batches, nullptr, &plan_in_micro_batches},
};

PassJob pass_job(const Case& which, const Schedule& schedule) {
  return {.devices = which.devices,
          .accounting = which.accounting,
          .framework = framework_of(which.framework),
          .options = which.schedule_options,
          .hardware = which.hardware,
          .state = which.moving ? &which.moving->options : nullptr,
          .schedule = &schedule};
}

void refuse_combinations(const PassJob& job) {
  for (const Pass& pass : kPasses) {
    const std::string asked = pass.asked(job);
    if (asked.empty() || pass.without == nullptr) continue;
    for (const Exclusion& each : pass.without(job)) {
      if (each.holds) cannot_combine(asked, each.with, each.remedy, each.why);
    }
  }
}

PlannedIteration plan_passes(const Case& which, const Schedule& schedule, Bytes budget) {
  const PassJob job = pass_job(which, schedule);
  const auto* pass =
      std::ranges::find_if(kPasses, [&](const Pass& each) { return !each.asked(job).empty(); });
  if (pass == std::end(kPasses)) {
    return {plan_with(which, schedule, problem_of(which, which.costs, budget))};
  }
  if (!pass->keeps_gradients || which.costs.held.empty()) {
    return pass->plan(which, schedule, budget);
  }
  Case fixed = which;
  fixed.costs = with_nothing_held(which.costs);
  return pass->plan(fixed, schedule, budget);
}

}  // namespace

bool may_overflow_far(const Case& which, const CostTable& costs) {
  Bytes all;
  for (const Bytes bytes : costs.tensor_bytes) all += bytes;
  if (framework_of(which.framework).copies.far_powers_of_two) all += all;
  return all > which.far_capacity;
}

PlanningProblem problem_of(const Case& which, const TrainingGraph& graph, const CostTable& costs,
                           Bytes budget) {
  const Bytes far = which.far_capacity;
  const auto evaluate = [&which, &graph, &costs, budget, far,
                         may_overflow = may_overflow_far(which, costs),
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

void check_devices_of_batch(int devices, std::int64_t batch) {
  if (devices <= batch) return;
  bad_value("--devices", std::to_string(devices), fmt::format("at most the batch, {}", batch),
            "every device runs at least one sample");
}

// Times that the user states (custom layers but those per sample, --layer-times) are those of the whole batch: a round
// takes its share of them, which is optimistic where small batches use the machine less well.
CostTable round_costs(const Case& which, std::int64_t batch) {
  const TrainingGraph& graph = which.workload.graph;
  ComputeOptions compute = which.compute;
  compute.batch = batch;
  CostTable costs = estimate_compute(graph, which.hardware, compute);
  costs.transfers = estimate_transfers(costs.link_bytes(), which.hardware, which.transfers);
  if (!which.costs.held.empty()) sum_shared_gradients(graph, costs);
  std::vector<bool> stated(graph.network->layers.size());
  for (const LayerTime& time : compute.layer_times) stated[time.layer.at()] = true;
  for (std::size_t i = 0; i < graph.backward_end; ++i) {
    const LayerId layer = graph.tasks[i].layer;
    const auto& custom = graph.network->layers[layer.at()].model->custom;
    const bool for_batch = custom && custom->per == CustomCost::Per::kBatch;
    if (!stated[layer.at()] && !for_batch) continue;
    const AlternativeId way = costs.default_alternative(make_id<TaskId>(i));
    const Int128 time = Int128{costs[way].time.count()} * batch;
    costs.alternatives[way.at()].time =
        Duration(static_cast<std::int64_t>((time + which.inputs.batch - 1) / which.inputs.batch));
  }
  return costs;
}

SubBatch sub_batch_of(Accounting accounting, const ScheduleOptions& options,
                      const Schedule& schedule) {
  const SubBatch asked = options.sub_batch;
  if (is_footprint(accounting)) return {.kind = SubBatch::Kind::kOff};
  if (asked.kind != SubBatch::Kind::kUsual) return asked;
  return {.kind = schedule.is(Trait::kSubBatches) ? SubBatch::Kind::kAuto : SubBatch::Kind::kOff};
}

SubBatch sub_batch_of(const Case& which, const Schedule& schedule) {
  const SubBatch asked = sub_batch_of(which.accounting, which.schedule_options, schedule);
  if (asked.kind != SubBatch::Kind::kCount) return asked;
  const std::int64_t batch = which.costs.batch;
  const std::int64_t samples = (batch - 1) / asked.count + 1;
  const std::int64_t rounds = (batch - 1) / samples + 1;
  if (rounds == asked.count) return {.kind = SubBatch::Kind::kSize, .samples = samples};
  const std::string expected =
      asked.count > batch
          ? fmt::format("at most the {}, {}",
                        which.inputs.devices > 1 ? "samples of each device" : "batch", batch)
          : fmt::format("a divisor of the batch: rounds of {} of its {} samples are {}", samples,
                        batch, rounds);
  bad_value("--accumulate", std::to_string(asked.count), expected,
            "--batch is all samples of an iteration");
}

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

Bytes simulated_budget(const Case& which) {
  return is_footprint(which.accounting) ? Bytes(kMaxTotalBytes) : which.budget;
}

void check_passes(const CaseOptions& options, const HardwareProfile& hardware,
                  const Schedule* schedule) {
  const bool shares = sharing_devices(options) > 1;  // each plans alone
  refuse_combinations({.devices = shares ? 1 : options.devices,
                       .accounting = options.graph.accounting,
                       .framework = framework_of(options.framework),
                       .options = options.schedule,
                       .hardware = hardware,
                       .state = options.state.any() || shares ? &options.state : nullptr,
                       .schedule = schedule});
}

PlannedIteration plan_job(const Case& which, const Schedule& schedule, Bytes budget) {
  refuse_combinations(pass_job(which, schedule));
  PlannedIteration result = plan_passes(which, schedule, budget);
  const Plan* plan = std::get_if<Plan>(&result.plan);
  if (plan != nullptr && !schedule.is(Trait::kMovesPages)) {
    const CostTable& costs = result.iteration ? result.iteration->costs : which.costs;
    if (auto rewritten = as_it_runs(which, costs, *plan)) result.plan = *std::move(rewritten);
  }
  return result;
}

}  // namespace ooc
