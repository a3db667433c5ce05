// Can any network, placement of state, budget or link break a law that plans with moving state must keep? Every schedule
// that carries state: the woven plan validates (state_example.hpp), runs in the smallest budget that is told and is refused
// one byte below, is never quicker than its bound, has one cause for every nanosecond, and the naive simulator agrees; a
// quicker link or far memory makes a chain no slower; state that is tensors and what is left add up to the network's.
// The same where experts are split over devices.
#include "simulator/predict/planning.hpp"
#include "simulator/predict/state_words.hpp"
#include "simulator/summary/memory_use.hpp"
#include "tests/support/plan_laws.hpp"
#include "tests/support/property_cases.hpp"
#include "tests/support/state_example.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

/// 10,000 jobs, each run in two budgets and refused below one.
constexpr std::uint64_t kStateSeeds = 3550;
constexpr std::uint64_t kChainSeeds = 480;
constexpr int kSchedulesOfSeed = 3;
constexpr std::int64_t kRunsOfNaive =
    4;  ///< one in so many is simulated naively, too: half the time
constexpr const char* kProgram = "property_state";

/// As software has it, with a share where it takes one.
StateOptions random_preset(Dice& dice) {
  constexpr std::array kPresets{
      "zero-offload", "zero-offload-delayed", "zero-infinity",          "fsdp-cpu", "stream",
      "paged",        "megatron-hybrid",      "megatron-hybrid-overlap"};
  const auto which = static_cast<std::size_t>(dice.number(0, kPresets.size() - 1));
  std::string name = kPresets[which];
  if (name.starts_with("megatron")) name += fmt::format(":0.{}", dice.number(1, 9));
  CaseOptions options;
  apply_state_preset(parse_state_preset(name, "--state"), options);
  return options.state;
}

/// Of several devices, as far as shards can be asked for beside the rest.
StateOptions with_shards(StateOptions options, Dice& dice) {
  const bool part = options.optimizer && options.optimizer != kOne;
  const bool visits = options.update == UpdateAt::kNear && (options.gradients || options.weights);
  if (options.in_backward || part || visits || (options.weights && !options.optimizer)) {
    return options;
  }
  options.shard = options.weights ? Shard::kWeights : static_cast<Shard>(dice.number(1, 3));
  options.devices = static_cast<int>(dice.number(2, 4));
  if (dice.once_in(3)) options.sharding = Sharding::kFsdp1;
  return options;
}

StateOptions random_state(Dice& dice) {
  if (dice.once_in(2)) return random_preset(dice);
  StateOptions options;
  const auto share = [&] { return Ratio(dice.number(1, 4) * kOne.count() / 4); };
  options.in_backward = dice.once_in(4);
  if (options.in_backward && dice.once_in(2)) return options;  // all of it stays near
  options.optimizer = share();
  options.units = dice.once_in(2) ? StateUnits::kBlock : StateUnits::kLayer;
  if (!options.in_backward && dice.once_in(3)) options.update = UpdateAt::kNear;
  options.gradients = dice.once_in(2);
  if (dice.once_in(3)) options.accumulate = AccumulateAt::kNear;
  options.after = options.in_backward || dice.once_in(2) ? UpdateAfter::kEach : UpdateAfter::kAll;
  options.pipelined = !dice.once_in(4);
  if (dice.once_in(2)) options.gradient_bytes = dice.once_in(2) ? 2 : 8;
  options.gradient_slots = static_cast<int>(dice.number(1, 3));
  options.prefetch = static_cast<int>(dice.number(0, 3));
  options.far_gradients = static_cast<FarGradients>(dice.number(0, 2));
  const bool near = options.update == UpdateAt::kNear;
  if (dice.once_in(2)) {
    if (!near) options.optimizer = kOne;
    options.weights = share();
    if (near && !options.gradients && dice.once_in(3)) options.optimizer.reset();
  } else {
    options.delayed = !near && !options.in_backward && dice.once_in(3);
  }
  return options;
}

std::int64_t state_sum(const MovingState& moving) {
  const TrainingGraph& graph = moving.graph;
  std::int64_t sum = graph.weight_bytes + graph.gradient_bytes + graph.optimizer_bytes;
  for (const StateUnit& unit : moving.units) {
    for (const auto& tensor : {unit.weight, unit.gradient, unit.state}) {
      if (!tensor || graph.tensors[tensor->at()].home == TensorHome::kStatic) continue;
      sum += graph.tensors[tensor->at()].bytes_fixed;
    }
  }
  return sum;
}

void check_run(const StateExample& example, const Schedule& schedule, Bytes budget, bool naively) {
  const PlanResult made = example.result(schedule, budget);
  REQUIRE(std::holds_alternative<Plan>(made));
  const Plan& plan = std::get<Plan>(made);
  const Outcome outcome = simulate({.plan = plan, .costs = example.costs, .budget = budget});
  REQUIRE(std::holds_alternative<Timeline>(outcome));
  const auto& timeline = std::get<Timeline>(outcome);
  REQUIRE(timeline.peak_near <= budget);
  Duration sum = timeline.busy;
  for (const Duration stall : timeline.stall_totals) sum += stall;
  REQUIRE(sum == timeline.iteration_time);
  REQUIRE(timeline.iteration_time >=
          state_bound(example.moving, example.costs,
                      schedule.is(Trait::kRecomputes) ? TaskOrder::kAny : TaskOrder::kOnce));
  const auto far_peak_of = [&](FarGradients kept) {
    Plan other = plan;
    other.far_gradients = kept;
    return peak_far_by_category(other, example.moving.graph, example.costs, timeline).total();
  };
  const Bytes far = far_peak_of(plan.far_gradients);
  REQUIRE(far >= far_peak_of(FarGradients::kFreed));
  REQUIRE(far <= far_peak_of(FarGradients::kAllocated));
  if (!naively) return;
  require_naive_agrees(plan, example.moving.graph, example.costs, budget, timeline);
}

/// Of what has a state for each of its parameters alike.
void check_share(const StateExample& example, const Workload& workload,
                 const StateOptions& options) {
  std::int64_t all = 0;
  std::int64_t far = 0;
  std::int64_t bytes = 0;
  for (const StateUnit& unit : example.moving.units) {
    all += unit.parameters;
    far += unit.far_parameters;
    if (unit.state) bytes += example.moving.graph.tensors[unit.state->at()].bytes_fixed;
  }
  REQUIRE(far ==
          static_cast<std::int64_t>(Int128{all} * options.optimizer->count() / kOne.count()));
  REQUIRE(workload.graph.optimizer_bytes - example.moving.graph.optimizer_bytes == bytes);
}

void check_schedule(const StateExample& example, const Schedule& schedule, Dice& dice) {
  CAPTURE(schedule.name);
  const Bytes smallest = smallest_of(example.result(schedule, Bytes(0)));
  check_run(example, schedule, smallest, dice.once_in(kRunsOfNaive));
  if (smallest > Bytes(0)) {
    REQUIRE(std::holds_alternative<OutOfMemory>(example.result(schedule, smallest - Bytes(1))));
  }
  const Bytes more(dice.number(0, smallest.count() / 2 + 1));
  check_run(example, schedule, smallest + more, dice.once_in(kRunsOfNaive));
}

TEST_CASE("plans with moving state keep the laws of plans") {
  std::vector<const Schedule*> carriers(schedules().begin(), schedules().end());
  keep_carriers(carriers);
  carriers.push_back(find_schedule("offload-layers"));
  std::size_t ran = 0;
  const std::uint64_t cases = for_each_seed(kStateSeeds, [&](std::uint64_t seed) {
    INFO(rerun(kProgram, seed));
    Dice dice(seed);
    const auto form = dice.once_in(2)   ? NetworkForm::kGraph
                      : dice.once_in(3) ? NetworkForm::kSequence
                                        : NetworkForm::kRealChain;
    const Workload workload = random_workload(dice, form, 8);
    CAPTURE(workload.text);
    StateOptions options = random_state(dice);
    const std::vector<WeightUnit>& weights = workload.network->units;
    const bool frozen = std::any_of(weights.begin(), weights.end(),
                                    [](const WeightUnit& unit) { return unit.is_frozen; });
    if (frozen && dice.once_in(2)) options = {.weights = kOne};
    if (dice.once_in(3)) options = with_shards(options, dice);
    CAPTURE(state_text(options));
    const FarCompute far{.throughput = BytesPerSecond(dice.magnitude(100'000, 1'000'000'000'000))};
    const LinkSpec link = random_link(dice, workload);
    const std::int64_t rounds = options.in_backward || !dice.once_in(3) ? 1 : dice.number(2, 4);
    const StateExample example(workload, options, far, link, rounds);
    if (frozen && options.weights == kOne) REQUIRE(example.frozen_far() > 0);
    if (example.moving.units.empty()) return;
    const bool whole = options.devices == 1;
    if (whole) {
      REQUIRE(state_sum(example.moving) == workload.graph.weight_bytes +
                                               workload.graph.gradient_bytes +
                                               workload.graph.optimizer_bytes);
    }
    // The optimiser's share is exact in parameters, and alone what leaves where nothing else does.
    if (options.optimizer && !options.weights && whole) check_share(example, workload, options);
    for (int i = 0; i < kSchedulesOfSeed; ++i) {
      check_schedule(example, *carriers[dice.index(carriers.size())], dice);
      ++ran;
    }
  });
  if (cases >= 100) CHECK(ran > cases);
  if (cases == kStateSeeds) CHECK(ran >= 10'000);
}

/// Blocks of a mixture, split over `devices`.
Workload random_mixtures(Dice& dice, std::int64_t devices) {
  const std::int64_t experts = devices * dice.number(1, 3);
  std::string block = fmt::format(
      R"({{"name": "m", "type": "moe", "experts": {}, "top_k": {}, "units": {}, "form": "{}"}})",
      experts, dice.number(1, experts), dice.number(1, 5), dice.once_in(2) ? "fused" : "eager");
  if (dice.once_in(2)) block += fmt::format(R"(, {{"name": "fc", "type": "linear", "units": 4}})");
  const std::string text = fmt::format(
      R"({{"format": "ooc-paleo/network", "version": 1, "name": "mixtures",
          "inputs": [{{"name": "data", "shape": [{}, 4]}}],
          "layers": [{{"name": "block", "type": "repeat", "times": {}, "layers": [{}]}}]}})",
      dice.number(1, 6), dice.number(1, 3), block);
  return workload_of_text(text, dice.number(2, 9), {.optimizer = Optimizer::kAdam},
                          {.expert_parallel = devices});
}

TEST_CASE("plans with split experts keep the laws of plans") {
  std::vector<const Schedule*> carriers(schedules().begin(), schedules().end());
  keep_carriers(carriers);
  for_each_seed(kChainSeeds, [&](std::uint64_t seed) {
    INFO(rerun(kProgram, seed));
    Dice dice(seed);
    const std::int64_t split = dice.number(2, 4);
    const Workload workload = random_mixtures(dice, split);
    CAPTURE(workload.text);
    StateOptions options = with_shards(random_state(dice), dice);
    if (options.devices == 1) return;
    options.devices = static_cast<int>(split * dice.number(1, 2));
    CAPTURE(state_text(options));
    const std::int64_t rounds = !dice.once_in(3) ? 1 : dice.number(2, 4);
    const FarCompute far{.throughput = BytesPerSecond(dice.magnitude(100'000, 1'000'000'000'000))};
    const StateExample example(workload, options, far, random_link(dice, workload), rounds);
    check_schedule(example, *carriers[dice.index(carriers.size())], dice);
  });
}

TEST_CASE("state: on a chain with room a quicker link or far memory makes nothing slower") {
  for_each_seed(kChainSeeds, [&](std::uint64_t seed) {
    INFO(rerun(kProgram, seed));
    Dice dice(seed);
    const Workload workload = random_workload(dice, NetworkForm::kRealChain, 8);
    CAPTURE(workload.text);
    StateOptions options = random_state(dice);
    if (dice.once_in(3)) options = with_shards(options, dice);
    const BytesPerSecond rate(dice.magnitude(100'000, 1'000'000'000'000));
    LinkSpec link = random_link(dice, workload);
    link.duplex = {};
    const Schedule& schedule = *find_schedule("in-core");
    const Bytes room(std::int64_t{1} << 50);
    const auto time = [&](BytesPerSecond far, const LinkSpec& at) {
      return StateExample(workload, options, {.throughput = far}, at)
          .run(schedule, room)
          .iteration_time;
    };
    const Duration before = time(rate, link);
    REQUIRE(time(BytesPerSecond(rate.count() * 2), link) <= before);
    LinkSpec faster = link;
    if (faster.to_far != kInfiniteRate) faster.to_far = BytesPerSecond(link.to_far.count() * 2);
    if (faster.to_near != kInfiniteRate) faster.to_near = BytesPerSecond(link.to_near.count() * 2);
    REQUIRE(time(rate, faster) <= before);
    Duration compute;
    for (const TaskAlternative& way : workload.costs.alternatives) compute += way.time;
    REQUIRE(StateExample(workload, {}, {}, link).run(schedule, room).iteration_time <= compute);
  });
}

}  // namespace
}  // namespace ooc::test
