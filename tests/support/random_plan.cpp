// Draws a plan step by step. Durations come from a short list, so that many things happen at the
// same instant: that is where engines differ.
#include "tests/support/random_plan.hpp"

#include <array>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "simulator/plan/plan_builder.hpp"

namespace ooc::test {

namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(engine_() % limit); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class Item, std::size_t kCount>
  Item of(const std::array<Item, kCount>& choices) {
    return choices[below(kCount)];
  }

 private:
  std::mt19937_64 engine_;
};

constexpr std::array<std::int64_t, 10> kTimes{0, 0, 1, 2, 3, 5, 5, 10, 100, 12345};
constexpr std::array<std::int64_t, 8> kLatencies{0, 0, 0, 1, 2, 5, 10, 777};
constexpr std::array<std::int64_t, 8> kSizes{0, 1, 3, 10, 10, 100, 999, 123456};
constexpr std::array<std::int64_t, 7> kRates{
    1'000'000'000, 1'000'000'000, 2'000'000'000, 999'999'937, 3'333'333'333, 123'456'789, 17};
constexpr std::array<std::int64_t, 6> kDuplex{1'000'000'000, 1'000'000'000, 500'000'000,
                                              850'000'000,   333'333'333,   999'999'999};
constexpr std::array<std::int64_t, 6> kBlocks{0, 1, 100, 100, 250, 512};

struct Drawing {
  Draw draw;
  RandomPlan& out;
  PlanBuilder builder;
  std::vector<StepId> steps{};
  struct Taken {
    BlockId block;
    std::optional<StepId> by;  ///< none: resident from the start
  };
  std::vector<Taken> taken{};
  std::int64_t block_bytes = 0;
  bool far_computes = false;

  void add_costs(std::size_t count);
  void add_step(std::size_t index);
  BlockId add_block(std::size_t object);
};

void Drawing::add_costs(std::size_t count) {
  CostTable& costs = out.costs;
  const bool issues = draw.one_in(3);
  for (std::size_t index = 0; index < count; ++index) {
    out.names.forward("task" + std::to_string(index));
    out.names.tensor("tensor" + std::to_string(index));
    costs.first_alternative.push_back(static_cast<std::int32_t>(index));
    costs.alternatives.emplace_back().time = Duration(draw.of(kTimes));
    // Of the first task never nothing: it says that the host's time counts.
    if (issues) {
      costs.alternatives.back().issue = Duration(draw.of(kTimes) + (index == 0 ? 1 : 0));
    }
    const Bytes bytes(draw.of(kSizes));
    costs.tensor_bytes.push_back(bytes);
    for (auto* copies : {&costs.transfers.to_far, &costs.transfers.to_near}) {
      const BytesPerSecond rate = draw.one_in(4) ? kInfiniteRate : BytesPerSecond(draw.of(kRates));
      const Duration latency(draw.of(kLatencies));
      copies->push_back({latency, rate, latency + transfer_time(bytes, rate)});
    }
  }
  costs.first_alternative.push_back(static_cast<std::int32_t>(count));
  // Every second one with a share for each direction.
  costs.transfers.duplex = Ratio(draw.of(kDuplex));
  if (draw.one_in(2)) costs.transfers.duplex.to_near = Ratio(draw.of(kDuplex));
}

BlockId Drawing::add_block(std::size_t object) {
  const Bytes bytes(draw.of(kBlocks));
  block_bytes += bytes.count();
  return builder.tensor_block(make_id<TensorId>(object), bytes);
}

void Drawing::add_step(std::size_t index) {
  const auto task = make_id<TaskId>(index);
  const auto alternative = make_id<AlternativeId>(index);
  const auto tensor = make_id<TensorId>(index);
  StepId step;
  if (far_computes && draw.one_in(5)) {
    step = builder.far_compute(task, alternative);
    for (std::size_t wait = draw.below(3); wait > 0 && !steps.empty(); --wait) {
      builder.wait(step, steps[draw.below(steps.size())]);
    }
    steps.push_back(step);
    return;
  }
  switch (draw.below(4)) {
    case 0:
      step = builder.to_far(tensor);
      break;
    case 1:
      step = builder.to_near(tensor);
      break;
    case 2:
      step = builder.compute(task, alternative);
      break;
    default:
      step = draw.one_in(4) ? builder.recompute(task, alternative)
                            : builder.compute(task, alternative);
  }
  for (std::size_t wait = draw.below(3); wait > 0 && !steps.empty(); --wait) {
    builder.wait(step, steps[draw.below(steps.size())]);
  }
  for (std::size_t release = draw.below(3); release > 0 && !taken.empty(); --release) {
    const Taken& block = taken[draw.below(taken.size())];
    builder.release(block.block, step);
    if (block.by) builder.wait(step, *block.by);  // released only after it was taken
  }
  for (std::size_t take = draw.below(3); take > 0; --take) {
    const BlockId block = add_block(index);
    builder.acquire(step, block);
    if (draw.one_in(2)) builder.release(block, step);
    taken.push_back({block, step});
  }
  steps.push_back(step);
}

}  // namespace

RandomPlan random_plan(std::uint64_t seed) {
  RandomPlan result;
  Draw draw(seed);
  const std::size_t count = 1 + draw.below(14);
  const Bytes static_bytes(draw.one_in(2) ? 0 : 50);
  Drawing drawing{.draw = draw, .out = result, .builder = PlanBuilder(static_bytes)};
  drawing.far_computes = draw.one_in(3);
  drawing.add_costs(count);
  for (std::size_t block = drawing.draw.below(3); block > 0; --block) {
    const BlockId id = drawing.add_block(0);
    drawing.builder.initially_resident(id);
    drawing.taken.push_back({id, std::nullopt});
  }
  for (std::size_t index = 0; index < count; ++index) drawing.add_step(index);
  const auto most = static_cast<std::size_t>(drawing.block_bytes + 1);
  result.budget = static_bytes + Bytes(static_cast<std::int64_t>(drawing.draw.below(most)));
  result.graph = result.names.build();
  result.plan = std::move(drawing.builder).finish();
  return result;
}

}  // namespace ooc::test
