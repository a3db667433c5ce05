// Engine against paper: OOC-Paleo's (10)-(12) bound the backward part of a capacity-based plan from
// above when nothing else is in the way: unlimited memory, every copy out finished at the turn,
// every copy in free to go at the turn. Random chains; copies take whole nanoseconds, so that both
// sides are exact.
#include "model/analytic/closed_forms.hpp"

#include <random>

#include "simulator/engine/simulate.hpp"
#include "simulator/plan/plan_builder.hpp"
#include "tests/support/property_cases.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace ooc;

/// A chain as the closed form sees it: layers in the order of the backward pass.
struct Chain {
  std::vector<BackwardLayer> layers;
  std::size_t retained_layers = 0;
  BytesPerSecond rate;

  [[nodiscard]] Bytes retained() const {
    Bytes sum;
    for (std::size_t i = 0; i < retained_layers; ++i) sum += layers[i].bytes;
    return sum;
  }
  [[nodiscard]] CapacityBackward closed_form() const {
    return {.layers = layers, .retained = retained(), .swap_in = rate};
  }
};

class ChainGenerator {
 public:
  explicit ChainGenerator(std::uint64_t seed) : random_(seed) {}

  Chain next() {
    const std::int64_t bytes_per_ns = between(1, 40);
    Chain chain{.layers = {}, .retained_layers = 0, .rate = BytesPerSecond(bytes_per_ns * kOneGb)};
    const std::int64_t count = between(1, 12);
    const std::int64_t slowest_copy = between(1, 2000);  // against tasks of up to 1000 ns
    for (std::int64_t i = 0; i < count; ++i) {
      chain.layers.push_back({.bytes = Bytes(between(0, slowest_copy) * bytes_per_ns),
                              .time = Duration(between(0, 1000))});
    }
    chain.retained_layers = static_cast<std::size_t>(between(0, count));
    return chain;
  }

 private:
  static constexpr std::int64_t kOneGb = 1'000'000'000;
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  std::mt19937_64 random_;
};

/// One task per layer and direction, task i < n forward of layer n-1-i, task n+i backward of layer
/// i; one tensor per layer.
CostTable costs_of(const Chain& chain) {
  CostTable costs;
  const std::size_t n = chain.layers.size();
  for (std::size_t task = 0; task < 2 * n; ++task) {
    const Duration time = task < n ? Duration(100) : chain.layers[task - n].time;
    costs.first_alternative.push_back(static_cast<std::int32_t>(task));
    costs.alternatives.push_back({.algorithm = {}, .time = time, .workspace = {}});
  }
  costs.first_alternative.push_back(static_cast<std::int32_t>(2 * n));
  for (const BackwardLayer& layer : chain.layers) {
    const TransferCost copy{.latency = Duration(0),
                            .rate = chain.rate,
                            .alone = transfer_time(layer.bytes, chain.rate)};
    costs.tensor_bytes.push_back(layer.bytes);
    costs.transfers.to_far.push_back(copy);
    costs.transfers.to_near.push_back(copy);
  }
  costs.transfers.to_far_peak = chain.rate;
  costs.transfers.to_near_peak = chain.rate;
  return costs;
}

struct BackwardPlan {
  Plan plan;
  std::vector<StepId> backward;  ///< by layer
  std::vector<StepId> turn;  ///< what must have ended before anything of the backward pass starts
};

/// Forward, copies out of what is not retained, the turn, copies in as fast as the link allows.
BackwardPlan build_plan(const Chain& chain, const CostTable& costs) {
  PlanBuilder builder{Bytes(0)};
  const std::size_t n = chain.layers.size();
  BackwardPlan result;
  std::vector<BlockId> blocks(n);
  for (std::size_t i = n; i-- > 0;) {  // from the input on
    const auto task = make_id<TaskId>(n - 1 - i);
    const StepId forward = builder.compute(task, costs.default_alternative(task));
    blocks[i] = builder.tensor_block(make_id<TensorId>(i), chain.layers[i].bytes);
    builder.acquire(forward, blocks[i]);
    if (i == 0) result.turn.push_back(forward);
    if (i < chain.retained_layers) continue;
    const StepId out = builder.to_far(make_id<TensorId>(i));
    builder.wait(out, forward);
    builder.release(blocks[i], out);
    if (i == chain.retained_layers) result.turn.push_back(out);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto task = make_id<TaskId>(n + i);
    std::vector<StepId> started_at_turn;
    std::vector<StepId> waits;
    if (i >= chain.retained_layers) {
      const StepId in = builder.to_near(make_id<TensorId>(i));
      blocks[i] = builder.tensor_block(make_id<TensorId>(i), chain.layers[i].bytes);
      builder.acquire(in, blocks[i]);
      started_at_turn.push_back(in);
      waits.push_back(in);
    }
    const StepId step = builder.compute(task, costs.default_alternative(task));
    started_at_turn.push_back(step);
    for (const StepId started : started_at_turn) {
      for (const StepId end : result.turn) builder.wait(started, end);
    }
    for (const StepId wait : waits) builder.wait(step, wait);
    builder.release(blocks[i], step);
    result.backward.push_back(step);
  }
  result.plan = std::move(builder).finish();
  return result;
}

/// Start of each backward task and the end of the last, counted from the turn.
struct BackwardRun {
  std::vector<Duration> starts;
  Duration length;
};

BackwardRun run(const Chain& chain) {
  const CostTable costs = costs_of(chain);
  const BackwardPlan built = build_plan(chain, costs);
  const Outcome outcome =
      simulate({.plan = built.plan, .costs = costs, .budget = Bytes(kMaxTotalBytes)});
  const auto& timeline = std::get<Timeline>(outcome);
  Duration turn;
  for (const StepId step : built.turn) turn = std::max(turn, timeline.spans[step.at()].end);
  BackwardRun result;
  for (const StepId step : built.backward) {
    result.starts.push_back(timeline.spans[step.at()].start - turn);
  }
  result.length = timeline.spans[built.backward.back().at()].end - turn;
  return result;
}

TEST_CASE("the head's example: processing is caught at 300 and the backward pass takes 500") {
  // As in closed_forms.hpp with ns for ms and bytes for 10 MB: 100 bytes at 0.5 bytes/ns would be
  // no whole rate, so 1 byte/ns and 200 bytes: a copy takes 200 ns, two layers are retained.
  const Chain chain{
      .layers = std::vector<BackwardLayer>(4, {.bytes = Bytes(200), .time = Duration(100)}),
      .retained_layers = 2,
      .rate = BytesPerSecond(1'000'000'000)};
  const BackwardRun simulated = run(chain);
  // Third layer: its copy ends at 200, when it is reached. Fourth: copy ends at 400, reached at
  // 300.
  CHECK(simulated.starts ==
        std::vector<Duration>{Duration(0), Duration(100), Duration(200), Duration(400)});
  CHECK(simulated.length == Duration(500));
  CHECK(capacity_backward_time(chain.closed_form()) == Duration(500));
}

TEST_CASE("(10)-(12) bound the backward pass from above, and T_catch is its first wait, exactly") {
  ChainGenerator chains(20190724);
  const std::size_t cases = test::case_count(20'000);
  std::size_t caught_count = 0;
  std::size_t strict_count = 0;
  for (std::size_t i = 0; i < cases; ++i) {
    CAPTURE(i);
    const Chain chain = chains.next();
    const CapacityBackward closed = chain.closed_form();
    const BackwardRun simulated = run(chain);
    const Duration bound = capacity_backward_time(closed);
    REQUIRE(simulated.length <= bound);

    // Up to the catch nothing waits; the caught layer starts when the rest of its copy has arrived.
    const std::optional<Catch> caught = catch_up(closed);
    Duration elapsed;
    for (std::size_t layer = 0; layer < chain.layers.size(); ++layer) {
      if (caught && caught->layer == layer) {
        REQUIRE(elapsed == caught->time);
        REQUIRE(simulated.starts[layer] ==
                caught->time + transfer_time(caught->missing, chain.rate));
        break;
      }
      REQUIRE(simulated.starts[layer] == elapsed);
      elapsed += chain.layers[layer].time;
    }
    if (!caught) REQUIRE(simulated.length == elapsed);
    if (caught) ++caught_count;
    if (simulated.length < bound) ++strict_count;
  }
  // The law must have been tried on both sides: chains that wait, and chains where the bound is not
  // met.
  CHECK(caught_count > cases / 4);
  CHECK(caught_count < cases);
  CHECK(strict_count > 0);
}

}  // namespace
