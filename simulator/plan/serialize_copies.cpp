// Rebuilds the plan step by step with the extra waits. Where it is wrong: a real driver returns from a
// small pageable copy to the far side before it has ended (it is buffered), so the model is pessimistic
// for copies below about 64 KiB.
#include "simulator/plan/serialize_copies.hpp"

#include <optional>

#include "simulator/plan/plan_builder.hpp"

namespace ooc {
namespace {

StepId add_step(PlanBuilder& builder, const Step& step) {
  switch (step.kind) {
    case StepKind::kCompute:
      return step.recompute
                 ? builder.recompute(TaskId{step.object}, step.alternative, step.device)
                 : builder.compute(TaskId{step.object}, step.alternative, step.device);
    case StepKind::kToFar:
      return builder.to_far(TensorId{step.object}, step.device);
    case StepKind::kToNear:
      return builder.to_near(TensorId{step.object}, step.device);
  }
  return {};
}

}  // namespace

Plan serialize_copies(const Plan& plan) {
  PlanBuilder builder(plan.static_bytes, plan.devices);
  builder.reserve(plan.steps.size(), plan.blocks.size());
  for (const Block& block : plan.blocks) {
    if (block.kind == BlockKind::kTensor) {
      builder.tensor_block(TensorId{block.object}, block.bytes, block.device);
    } else {
      builder.workspace_block(TaskId{block.object}, block.bytes, block.device);
    }
  }
  for (const BlockId block : plan.initial_blocks) builder.initially_resident(block);
  const auto devices = static_cast<std::size_t>(plan.devices);
  std::vector<std::optional<StepId>> last_compute(devices);
  std::vector<std::vector<StepId>> copies_since(devices);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    const auto device = static_cast<std::size_t>(step.device);
    const StepId id = add_step(builder, step);
    if (step.kind == StepKind::kCompute) {
      for (const StepId copy : copies_since[device]) builder.wait(id, copy);
      copies_since[device].clear();
      last_compute[device] = id;
    } else {
      if (last_compute[device]) builder.wait(id, *last_compute[device]);
      copies_since[device].push_back(id);
    }
    for (const StepId until : plan.waits[id]) builder.wait(id, until);
    for (const BlockId block : plan.acquires[id]) builder.acquire(id, block);
    for (const BlockId block : plan.releases[id]) builder.release(block, id);
  }
  Plan serialized = std::move(builder).finish();
  serialized.far_compression = plan.far_compression;
  return serialized;
}

}  // namespace ooc
