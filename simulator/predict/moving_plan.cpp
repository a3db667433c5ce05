// The schedule plans the network's own tasks with what state takes booked as their workspace; the copies of state are
// woven into what it makes, and into all that it tries.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "model/base/errors.hpp"
#include "model/rewrite/iteration.hpp"
#include "simulator/plan/weave_state.hpp"
#include "simulator/predict/planning.hpp"
#include "simulator/predict/state_words.hpp"
#include "simulator/schedules/footprint.hpp"

namespace ooc {
namespace {

bool carries_state(const Schedule& schedule) {
  return schedule.is(Trait::kCarriesState) || schedule.is(Trait::kCarriesStateIfAsked);
}

std::string names_of_carriers() {
  std::string names;
  for (const Schedule* schedule : schedules()) {
    if (!carries_state(*schedule)) continue;
    names += (names.empty() ? "" : ", ") + std::string(schedule->name);
  }
  return names;
}

/// By task up to the updates: the network's own work up to its end.
std::vector<Duration> computed_until(const MovingState& state, const CostTable& costs) {
  std::vector<Duration> until;
  for (std::size_t i = 0; i < state.planned.backward_end; ++i) {
    until.push_back(until.empty() ? Duration(0) : until.back());
    if (is_overhead(state.planned.tasks[i].kind)) continue;  // nobody has to compress
    const auto ways = costs.alternatives_of(make_id<TaskId>(i));
    until.back() += std::ranges::min_element(ways, {}, &TaskAlternative::time)->time;
  }
  return until;
}

/// Copies in of far weights but each unit's first, where the tasks run once, in their order.
Duration fetched_again(const MovingState& state, const CostTable& costs) {
  std::vector<bool> has_come(state.units.size());
  Duration again;
  for (const WeightStay& stay : weight_stays(state, runs_once(state))) {
    const TensorId weight = *state.units[stay.unit].weight;
    if (has_come[stay.unit]) again += costs.transfers.to_near[weight.at()].alone;
    has_come[stay.unit] = true;
  }
  return again;
}

/// The flag that moves state.
std::string_view flag_of(const StateOptions& options) {
  return offload_text(options).empty() && options.shard != Shard::kNone ? "--shard" : "--offload";
}

/// Several rounds: their gradients add up (docs/notebook/0036-gradients-that-add-up.md).
Iteration rounds_with_state(const Case& which, std::int64_t samples) {
  const std::int64_t batch = which.costs.batch;
  const Iteration network = write_out_rounds(which.workload.graph, round_costs(which, samples),
                                             round_costs(which, last_round(batch, samples)), batch);
  return with_state(
      which, std::make_shared<const MovingState>(move_state(*network.graph, which.moving->options)),
      network);
}

/// Plans that a schedule is asked for, until one takes no more than was booked.
constexpr int kMostTries = 4;

/// Plans of the network's own tasks, with state woven in.
class StatePlanner {
 public:
  StatePlanner(const Case& which, Bytes budget, const Iteration& run)
      : which_(which),
        budget_(budget),
        run_(run),
        round_(run.rounds > 1 ? book_for_rounds(*which.moving, *run.moving) : *which.moving),
        trial_(problem_of(which, *run.graph, run.costs, budget).evaluate) {}

  [[nodiscard]] PlanResult plan(const Schedule& schedule, const ScheduleOptions& options) const {
    if (!schedule.is(Trait::kRecomputes)) return plan(schedule, options, Booking::kByTask);
    PlanResult made = plan(schedule, options, Booking::kAnywhere);
    const auto* lacks = std::get_if<OutOfMemory>(&made);
    if (lacks == nullptr || !lacks->smallest_budget || schedule.is(Trait::kOptimizes)) return made;
    return plan_as_run(schedule, options, std::move(made));
  }

  /// A schedule that may run tasks again books for the worst; those that do not find room where it has none. The quickest
  /// of them all, or what the smallest of them lacks.
  [[nodiscard]] PlanResult quickest(const Schedule& schedule) const {
    PlanResult best = plan(schedule, which_.schedule_options);
    std::optional<Duration> time = time_of(best);
    const std::vector<Bytes> rooms = algorithm_rooms(which_.workload.graph, which_.costs, budget_);
    for (const Contender& other : contenders({Trait::kCarriesState}, {Trait::kRecomputes}, rooms)) {
      consider(plan(*other.schedule, other.options), best, time);
    }
    return best;
  }

 private:
  /// Plans for what a plan's own runs of tasks take, where the worst is too much. A plan stands if no task takes more in it
  /// than was booked. `made`: what the worst lacks.
  [[nodiscard]] PlanResult plan_as_run(const Schedule& schedule, const ScheduleOptions& options,
                                       PlanResult made) const {
    const Bytes most = *std::get<OutOfMemory>(made).smallest_budget;
    StatePlanner own(which_, most, run_);
    own.round_.booked.assign(round_.booked.size(), Bytes(0));
    const auto plan_in = [&](Bytes budget) {
      own.set_budget(budget);
      return own.plan(schedule, options, Booking::kByTask);
    };
    PlanResult least = own.plan(schedule, options, Booking::kAnywhere);
    for (int tries = 0; std::holds_alternative<Plan>(least) && tries < kMostTries; ++tries) {
      const std::vector<Bytes> takes = taken_by(std::get<Plan>(least));
      if (!own.covers(takes)) {
        std::ranges::transform(takes, own.round_.booked, own.round_.booked.begin(),
                               std::ranges::max);
        const PlanResult none = plan_in(Bytes(0));
        const auto* lacks = std::get_if<OutOfMemory>(&none);
        if (lacks == nullptr || lacks->smallest_budget.value_or(most) >= most) return made;
        least = plan_in(*lacks->smallest_budget);
        continue;
      }
      PlanResult roomy = plan_in(budget_);
      const Plan* found = std::get_if<Plan>(&roomy);
      return found == nullptr || own.covers(taken_by(*found)) ? roomy : least;
    }
    return made;
  }

  void set_budget(Bytes budget) {
    budget_ = budget;
    trial_ = problem_of(which_, *run_.graph, run_.costs, budget).evaluate;
  }

  [[nodiscard]] bool covers(const std::vector<Bytes>& takes) const {
    return std::ranges::equal(takes, round_.booked, std::ranges::less_equal());
  }

  /// By task of a round: what state takes in the plan's runs of it.
  [[nodiscard]] std::vector<Bytes> taken_by(const Plan& plan) const {
    std::vector<PlannedRun> runs;
    for (const Step& step : plan.steps) {
      if (step.kind == StepKind::kCompute) runs.push_back({TaskId{step.object}, step.recompute});
    }
    return most_of_rounds(round_.planned, run_.rounds, booked_by(*run_.moving, runs));
  }

  [[nodiscard]] PlanResult plan(const Schedule& schedule, const ScheduleOptions& options,
                                Booking booking) const {
    const auto plan_round = [&](const CostTable& costs) {
      return this->plan_round(schedule, options, costs);
    };
    PlanResult made;
    if (run_.rounds == 1) {
      made = plan_round(planned_costs(round_, which_.costs, booking));
    } else {
      const auto costs_at = [&](std::int64_t samples) {
        return planned_costs(round_, round_costs(which_, samples), booking);
      };
      const CostTable whole = planned_costs(round_, which_.costs, booking);
      made =
          plan_in_rounds({.graph = round_.planned,
                          .costs = whole,
                          .budget = budget_,
                          .sub_batch = {.kind = SubBatch::Kind::kSize, .samples = run_.sub_batch},
                          .costs_at = costs_at,
                          .plan = plan_round})
              .plan;
    }
    if (const Plan* found = std::get_if<Plan>(&made)) {
      made = weave_state(*found, *run_.moving, run_.costs);
    }
    return made;
  }

  /// Trials are runs of the round with its state woven in, as if it were all.
  [[nodiscard]] PlanResult plan_round(const Schedule& schedule, const ScheduleOptions& options,
                                      const CostTable& planned) const {
    std::optional<Iteration> own;
    if (run_.rounds > 1) {
      own = with_state(which_, which_.moving,
                       {.graph = {}, .costs = round_costs(which_, planned.batch)});
    }
    const CostTable& costs = own ? own->costs : run_.costs;
    const TrainingGraph& graph = own ? *own->graph : *run_.graph;
    PlanningProblem problem = problem_of(which_, round_.planned, planned, budget_);
    problem.options = options;
    fit_algorithms(problem);
    problem.carries_state = true;
    problem.least_time = state_bound(
        round_, costs, schedule.is(Trait::kRecomputes) ? TaskOrder::kAny : TaskOrder::kOnce);
    if (schedule.is(Trait::kOptimizes)) {
      problem.least_time = std::max(problem.least_time, time_with_room(planned, graph, costs));
    }
    const auto trial = own ? problem_of(which_, *own->graph, own->costs, budget_).evaluate : trial_;
    problem.evaluate = [this, &costs, &trial,
                        woven = std::make_shared<std::optional<Plan>>()](const Plan& plan) {
      woven->emplace(weave_state(plan, round_, costs));
      return trial(**woven);
    };
    return schedule.make_plan(problem);
  }

  /// What state costs where nothing else has to move: what a search cannot get below, but for stays of weights that a task
  /// which runs again would make longer.
  [[nodiscard]] Duration time_with_room(const CostTable& planned, const TrainingGraph& graph,
                                        const CostTable& costs) const {
    const Bytes room(kMaxTotalBytes);
    PlanningProblem problem = problem_of(which_, round_.planned, planned, room);
    problem.options.algorithms = AlgorithmChoice::kPerformance;
    problem.carries_state = true;
    const PlanResult made = find_schedule("in-core")->make_plan(problem);
    const Plan* plan = std::get_if<Plan>(&made);
    if (plan == nullptr) return {};
    const Plan woven = weave_state(*plan, round_, costs);
    return problem_of(which_, graph, costs, room)
        .evaluate(woven)
        .iteration_time.value_or(Duration());
  }

  [[nodiscard]] std::optional<Duration> time_of(const PlanResult& made) const {
    const Plan* plan = std::get_if<Plan>(&made);
    return plan == nullptr ? std::nullopt : trial_(*plan).iteration_time;
  }

  void consider(PlanResult other, PlanResult& best, std::optional<Duration>& time) const {
    const std::optional<Duration> taken = time_of(other);
    if (taken) {
      if (time && *taken >= *time) return;
      time = taken;
    } else {
      const auto* lacks = std::get_if<OutOfMemory>(&other);
      const auto* before = std::get_if<OutOfMemory>(&best);
      if (lacks == nullptr || before == nullptr) return;
      if (!lacks->smallest_budget || lacks->smallest_budget >= before->smallest_budget) return;
    }
    best = std::move(other);
  }

  const Case& which_;
  Bytes budget_;
  const Iteration& run_;
  MovingState round_;  ///< what schedules plan
  std::function<Trial(const Plan&)> trial_;
};

}  // namespace

std::string asks_moving_state(const PassJob& job) {
  return job.state == nullptr ? "" : std::string(flag_of(*job.state));
}

std::vector<Exclusion> moving_state_without(const PassJob& job) {
  std::vector<Exclusion> all{
      {job.devices > 1, fmt::format("--devices {}", job.devices), "use one device, or --shard",
       "several devices would each hold and move all of the state"},
      {job.hardware.one_pool, job.hardware.name, "leave it out",
       "moving gains nothing here: one pool of memory"},
      {job.accounting != Accounting::kLiveness,
       fmt::format("--accounting {}", accounting_name(job.accounting)), "use --accounting liveness",
       "the other rules count state as a whole"}};
  if (job.schedule == nullptr) return all;
  const Schedule& schedule = *job.schedule;
  const SubBatch rounds = sub_batch_of(job.accounting, job.options, schedule);
  all.push_back({!carries_state(schedule), fmt::format("--schedule {}", schedule.name),
                 "use one of " + names_of_carriers(),
                 "plans of the others are not known to leave room for it task by task"});
  all.push_back({compresses(schedule, job.options), "this --lms-action", "use --lms-action swap",
                 "compressed tensors make another graph"});
  all.push_back({rounds.kind == SubBatch::Kind::kAuto, "--sub-batch auto",
                 "use a number of samples, or --accumulate",
                 "the best number of micro-batches is not searched while state moves"});
  return all;
}

void keep_carriers(std::vector<const Schedule*>& schedules) {
  std::erase_if(schedules, [](const Schedule* each) { return !each->is(Trait::kCarriesState); });
}

/// Launches that are as much work for the host as a tensor's copies and its own AdamW: five for the copies; 0.37 ms in
/// bfloat16 and 0.10 in float32 beyond what all 146 tensors of a Llama take at once (tests/data/measured/h100-sxm, adam).
constexpr std::int64_t kLaunchesPerFarTensor = 14;

/// What a process reaches by single operations: 0.84 Gparam/s beside an H100 and an H200 (hwprofiles, far_compute).
constexpr double kOperationsLimit = 67e9;
/// Bytes a second of one thread in one kernel, and by single operations; n threads reach n^0.7 times as much, within 26 %
/// from 1 to 16 (tests/data/measured/h200-sxm/host.jsonl, Sapphire Rapids). Other processors alike, assumed.
constexpr double kThread = 17e9;
constexpr double kThreadOfOperations = 9e9;
constexpr double kManyThreads = 0.7;

/// What a process reaches; threads 0: as many as it needs.
double rate_of_process(bool operations, int threads) {
  const double most = operations ? kOperationsLimit : std::numeric_limits<double>::infinity();
  if (threads == 0) return most;
  return std::min(most,
                  (operations ? kThreadOfOperations : kThread) * std::pow(threads, kManyThreads));
}

/// Bytes that an update of single operations moves over those of one kernel; passes beside it are alike.
double operations_over_fused(std::int64_t passes) {
  constexpr double kAdam = 28;
  const auto beside = static_cast<double>(passes);
  return (kAdam * kOperationsOverFused + beside) / (kAdam + beside);
}

/// Limits the rate to what the host's processes reach, by one kernel or, `slower` than it, by single operations.
void limit_by_processes(std::optional<double> slower, int threads, int processes,
                        FarCompute& compute) {
  const bool operations = slower.has_value();
  const auto host = static_cast<double>(compute.throughput.count());
  const double free = std::min(host, rate_of_process(operations, 0) * processes);
  const double rate = std::min(free, rate_of_process(operations, threads) * processes);
  if (rate < free) compute.threads = threads;
  compute.throughput = BytesPerSecond(std::llround(rate / slower.value_or(1)));
}

/// A process's norm of gradients reads 10 GB/s of float32, with one thread or sixteen; what scales them reads and writes as
/// fast as Adam (the same file).
constexpr double kNormNs = 0.4;
constexpr double kScaledBytes = 2 * 4;
/// Nanoseconds for a byte of 16 bits that the host casts to float32 in fresh memory: 0.1 a number by sixteen threads (the same
/// file), 0.15 for the faults of 2 bytes (0.31 us a page: what own runs of ZeRO-3 leave open).
constexpr double kCastNs = (0.1 + 0.15) / 2;
/// DeepSpeed's stage 3 looks for inf and nan in all far float16 gradients: twice what isnan takes one thread (the same
/// file), by as many threads as the norm was measured with.
constexpr double kOverflowNs = 2 * 2.3;
constexpr int kUsualThreads = 16;

FarCompute far_compute_of(const HardwareProfile& hardware, const CaseOptions& options,
                          const StateOptions& state) {
  FarCompute compute =
      hardware.far_compute.value_or(FarCompute{.share = kFarComputeShare, .assumed = true});
  const std::optional<Software> software = software_of(options, hardware);
  if (software && software->issued_by == IssuedBy::kLaunch) {
    compute.per_tensor = software->issue * kLaunchesPerFarTensor;
  }
  if (options.far_compute) {
    compute.throughput = *options.far_compute;
    compute.assumed = false;
  } else if (compute.share) {
    const BytesPerSecond whole =
        options.transfers.far_throughput.value_or(hardware.far_memory.throughput);
    const double rate = *compute.share / kOne * static_cast<double>(whole.count());
    compute.throughput = whole == kInfiniteRate
                             ? whole
                             : BytesPerSecond(std::max<std::int64_t>(1, std::llround(rate)));
    if (!hardware.far_compute && state.update_limit) {
      compute.throughput = std::min(compute.throughput, *state.update_limit);
    }
  }
  const auto& far = options.transfers.far_throughput;
  if (far && compute.throughput != kInfiniteRate) {
    compute.throughput = std::min(compute.throughput, *far);
  }
  const int processes = state.host_devices.value_or(state.devices);
  std::optional<double> slower;
  if (options.adam != AdamKernels::kFused) slower = operations_over_fused(state.update_passes);
  if (!options.far_compute && compute.throughput != kInfiniteRate) {
    limit_by_processes(slower, state.threads, processes, compute);
  }
  // DeepSpeed's step scales whatever it clips, by a norm that the GPU has. Passes over gradients that stay near are left out.
  if (options.clips && state.gradients && state.update_passes == 0) {
    const double rate = static_cast<double>(compute.throughput.count()) * slower.value_or(1);
    compute.ns_to_clip = kNormNs + kScaledBytes * processes * 1e9 / rate;
  }
  const bool unscales = options.precision && precision_info(*options.precision).unscales;
  if (unscales && state.gradients && framework_of(options.framework).checks_far) {
    const int threads = state.threads > 0 ? state.threads : kUsualThreads;
    compute.ns_to_clip += kOverflowNs / std::pow(threads, kManyThreads);
  }
  return compute;
}

void add_moving_state(Case& made, const CaseOptions& options) {
  StateOptions state = options.state;
  if (state.threads > 0 && options.far_compute) {
    cannot_combine("--host-threads", "--far-compute", "leave one out",
                   "threads set the rate of far updates");
  }
  const Framework framework = framework_of(options.framework);
  state.sharding = framework.sharding;
  state.reuse = framework.reuse;
  if (state.prefetch == StateOptions{}.prefetch) state.live = framework.live;
  state.pageable_returns = framework.pageable_returns;
  state.pageable_gradients = framework.pageable_gradients && state.updates_far() &&
                             !state.gradient_bytes &&
                             made.workload.graph.per_parameter.gradient == 2;
  if (state.pageable_gradients) state.gradient_slots = std::min(state.gradient_slots, 1);
  state.hooks = on_host(options, made.hardware, framework.software.hooks);
  state.hooks_on = framework.software.hooks_on;
  made.moving = std::make_shared<const MovingState>(move_state(made.workload.graph, state));
  made.far_compute = far_compute_of(made.hardware, options, state);
}

Iteration with_state(const Case& which, const std::shared_ptr<const MovingState>& moving,
                     const Iteration& of) {
  Iteration run{.graph = {moving, &moving->graph},
                .costs = moving_costs(*moving, of.costs, which.far_compute),
                .sub_batch = of.sub_batch,
                .rounds = of.rounds,
                .moving = moving};
  std::vector<Bytes> copied = run.costs.link_bytes();
  for (std::size_t i = 0; i < copied.size(); ++i) {
    copied[i] = host_bytes(moving->graph.tensors[i], copied[i]);
  }
  run.costs.transfers = estimate_transfers(copied, which.hardware, which.transfers);
  const StateOptions& options = moving->options;
  const bool is_pageable = options.pageable_returns || options.pageable_gradients;
  if (is_pageable && which.hardware.connection.modes.contains("pageable")) {
    // A core stages them: as on the profile's link, whatever the link.
    const TransferCosts staged = estimate_transfers(
        copied, which.hardware, {.mode = CopyMode::kPageable, .sharers = which.transfers.sharers});
    for (const StateGradient& gradient : moving->gradients) {
      if (!options.pageable_gradients || !gradient.sent) continue;
      const std::size_t sent = gradient.sent->at();
      TransferCost& out = run.costs.transfers.to_far[sent];
      out = std::ranges::max(out, staged.to_far[sent], {}, &TransferCost::alone);
      const Duration cast(std::llround(static_cast<double>(copied[sent].count()) * kCastNs));
      out.latency += cast;
      out.alone += cast;
    }
    for (const StateUnit& unit : moving->units) {
      if (!options.pageable_returns) break;
      if (!unit.update) continue;
      const std::size_t weight = unit.updated()->at();
      if (moving->graph.tensors[weight].home != TensorHome::kStatic) continue;
      TransferCost& back = run.costs.transfers.to_near[weight];
      back = std::ranges::max(back, staged.to_near[weight], {}, &TransferCost::alone);
    }
  }
  const PeerLink peers = peers_of(which.hardware, which.transfers);
  add_collectives(*moving, peers, run.costs);
  slow_beside_collectives(*moving, peers, run.costs);
  return run;
}

PlannedIteration plan_with_state(const Case& which, const Schedule& schedule, Bytes budget) {
  const SubBatch rounds = sub_batch_of(which, schedule);
  const std::int64_t batch = which.costs.batch;
  const bool several = rounds.kind == SubBatch::Kind::kSize && rounds.samples != batch;
  if (several && rounds.samples > batch) {
    bad_value("--sub-batch", std::to_string(rounds.samples),
              "a number from 1 to the batch, " + std::to_string(batch));
  }
  auto run = std::make_shared<const Iteration>(several ? rounds_with_state(which, rounds.samples)
                                                       : with_state(which, which.moving, which));
  const StatePlanner planner(which, budget, *run);
  PlanResult made = schedule.is(Trait::kOptimizes) ? planner.quickest(schedule)
                                                   : planner.plan(schedule, which.schedule_options);
  return {std::move(made), std::move(run)};
}

Duration state_bound(const MovingState& state, const CostTable& costs, TaskOrder order) {
  Duration out;
  Duration in;
  Duration far;
  std::optional<Duration> first_out;
  std::size_t leaves = state.planned.backward_end;  // the task behind which the first gradient may
  std::size_t last = 0;                             // the last that writes one
  std::optional<Duration> last_in;
  const auto alone = [&](const std::vector<TransferCost>& prices, TensorId tensor) {
    return prices[tensor.at()].alone;
  };
  Duration adding;  // beside far updates
  for (const StateGradient& gradient : state.gradients) {
    if (!gradient.sent) continue;
    const Duration time = alone(costs.transfers.to_far, *gradient.sent);
    out += time;
    first_out = std::min(first_out.value_or(time), time);
    leaves = std::min(leaves, state.leaves_behind(gradient));
    last = std::max(last, gradient.last_writer);
    if (gradient.added) adding += costs[costs.default_alternative(*gradient.added)].time;
  }
  for (const StateUnit& unit : state.units) {
    if (unit.weight) {
      const Duration time = alone(costs.transfers.to_near, *unit.weight);
      in += time;
      if (!unit.weights_come) last_in = std::min(last_in.value_or(time), time);
    }
    for (const TensorId visit : unit.visits) {
      in += alone(costs.transfers.to_near, visit);
      const bool stays = visit != unit.state && visit != unit.weight;
      if (!stays) out += alone(costs.transfers.to_far, visit);
    }
    if (unit.update) far += costs[costs.default_alternative(*unit.update)].time;
  }
  const bool come = state.options.weights || state.options.shards(Shard::kWeights);
  if (order == TaskOrder::kOnce && come) in += fetched_again(state, costs);
  Duration bound = std::max({out, in, far + adding});
  if (!first_out) return bound;
  const std::vector<Duration> until = computed_until(state, costs);
  // Where devices sum gradients, what is updated near comes behind all sums.
  const bool sums_near = state.options.shards(Shard::kNone) && !state.options.updates_far();
  if (sums_near && state.options.after == UpdateAfter::kAll && !state.options.in_backward) {
    for (std::size_t i = state.planned.backward_end; i < state.planned.tasks.size(); ++i) {
      const bool updates = state.planned.tasks[i].kind == TaskKind::kUpdate && state.unit_of[i];
      if (updates) out += costs[costs.default_alternative(make_id<TaskId>(i))].time;
    }
  }
  bound = std::max(bound, until[leaves] + out);
  if (state.options.after == UpdateAfter::kAll && !state.options.delayed) {
    // A copy of weights comes behind the last update for certain only where every update has one.
    const bool all_return = std::ranges::none_of(
        state.units, [](const StateUnit& unit) { return unit.update && unit.weights_far; });
    const Duration back = all_return ? last_in.value_or(Duration(0)) : Duration(0);
    bound = std::max(bound, until[last] + *first_out + far + back);
  }
  return bound;
}

std::string state_text(const StateOptions& options) {
  std::string text = offload_text(options);
  const std::string within = options.in_backward ? ", in backward" : "";
  std::string sharded;
  if (options.shards(Shard::kOptimizer)) {
    sharded = fmt::format("{} in {} shards; ", shard_text(options.shard), options.devices);
  }
  if (text.empty()) return sharded + "update near" + within;
  text = sharded + text;
  const bool far = options.updates_far();
  text += far ? "; update far" : "; update near";
  if (far || options.gradients) {
    text += options.delayed                      ? ", one step late"
            : options.after == UpdateAfter::kAll ? ", after all"
                                                 : ", after each";
  }
  text += within;
  if (!far && !options.gradients) return text;
  if (!options.pipelined) text += ", nothing beside them";
  if (options.gradient_bytes) {
    text += fmt::format(", gradients of {} bits", *options.gradient_bytes * 8);
  }
  if (options.far_gradients == FarGradients::kHeld) text += ", gradients held";
  if (options.far_gradients == FarGradients::kAllocated) text += ", gradient buffers stay";
  if (options.accumulate == AccumulateAt::kNear) text += ", gradients add up near";
  if ((options.weights || options.shards(Shard::kWeights)) && options.prefetch != 1)
    text += fmt::format(", prefetch {}", options.prefetch);
  if (far && options.threads > 0) text += fmt::format(", {} host threads", options.threads);
  return text;
}

void add_state_words(const Case& which, RunReport& report) {
  if (!report.state || report.state->far_updates == 0) return;
  report.state->far_rate = which.far_compute.throughput;
  report.state->threads = which.far_compute.threads;
  if (which.far_compute.assumed) report.assumed.emplace_back("far_compute");
}

}  // namespace ooc
