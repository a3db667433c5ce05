// The reference workload as a plan and its costs. A copy is all latency: its duration does not
// depend on a rate, as the other engines have it.
#include "tests/support/reference_workload.hpp"

#include <utility>

#include "simulator/plan/plan_builder.hpp"

namespace ooc::test {

namespace {

class Congruential {
 public:
  std::int64_t draw(std::int64_t low, std::int64_t high) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    const auto width = static_cast<std::uint64_t>(high - low + 1);
    return low + static_cast<std::int64_t>((state_ >> 33) % width);
  }

 private:
  std::uint64_t state_ = 88172645463325252U;
};

}  // namespace

ReferenceDurations::ReferenceDurations(std::size_t layers)
    : forward(layers), out(layers), in(layers), backward(layers) {
  Congruential generator;
  for (std::size_t i = 0; i < layers; ++i) {
    forward[i] = generator.draw(500, 1500);
    out[i] = generator.draw(400, 1600);
  }
  for (std::size_t i = layers; i-- > 0;) {
    in[i] = generator.draw(400, 1600);
    backward[i] = generator.draw(1000, 3000);
  }
}

CostTable reference_costs(const ReferenceDurations& durations) {
  const std::size_t layers = durations.forward.size();
  CostTable costs;
  costs.alternatives.resize(2 * layers);
  costs.first_alternative.resize(2 * layers + 1);
  for (std::size_t task = 0; task <= 2 * layers; ++task) {
    costs.first_alternative[task] = static_cast<std::int32_t>(task);
  }
  const auto copy = [](std::int64_t ns) {
    return TransferCost{Duration(ns), kInfiniteRate, Duration(ns)};
  };
  for (std::size_t i = 0; i < layers; ++i) {
    costs.alternatives[i].time = Duration(durations.forward[i]);
    costs.alternatives[2 * layers - 1 - i].time = Duration(durations.backward[i]);
    costs.tensor_bytes.push_back(Bytes(kReferenceBlock));
    costs.transfers.to_far.push_back(copy(durations.out[i]));
    costs.transfers.to_near.push_back(copy(durations.in[i]));
  }
  costs.transfers.to_far_peak = kInfiniteRate;
  costs.transfers.to_near_peak = kInfiniteRate;
  return costs;
}

Plan reference_plan(std::size_t layers) {
  PlanBuilder builder(Bytes(0));
  builder.reserve(4 * layers, 2 * layers);
  const Bytes bytes(kReferenceBlock);
  std::vector<StepId> out(layers);
  std::vector<StepId> backward(layers);
  StepId forward;
  for (std::size_t i = 0; i < layers; ++i) {
    const auto tensor = make_id<TensorId>(i);
    forward = builder.compute(make_id<TaskId>(i), make_id<AlternativeId>(i));
    if (i >= 4) builder.wait(forward, out[i - 4]);
    const BlockId block = builder.tensor_block(tensor, bytes);
    builder.acquire(forward, block);
    out[i] = builder.to_far(tensor);
    builder.wait(out[i], forward);
    builder.release(block, out[i]);
  }
  for (std::size_t i = layers; i-- > 0;) {
    const auto tensor = make_id<TensorId>(i);
    const std::size_t task = 2 * layers - 1 - i;
    const StepId in = builder.to_near(tensor);
    builder.wait(in, out[i]);
    builder.wait(in, i + 2 < layers ? backward[i + 2] : forward);
    const BlockId block = builder.tensor_block(tensor, bytes);
    builder.acquire(in, block);
    backward[i] = builder.compute(make_id<TaskId>(task), make_id<AlternativeId>(task));
    builder.wait(backward[i], in);
    builder.release(block, backward[i]);
  }
  return std::move(builder).finish();
}

}  // namespace ooc::test
