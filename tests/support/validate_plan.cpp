// The structural truth about a plan. "Certainly" means: by queue order and waits alone (StepOrder),
// so a plan that passes is sound on any machine, at any speed.
//
// Checks, in this order, each of which may rely on those before it: every step is what it claims
// (ids, alternatives); no cycle; every task runs once; every block is taken once, and freed after
// it was taken; then, in validate_contents.cpp, residence and contents.
//
// Not checked: that blocks fit (the engine's and the schedule's business), and tensors of 0 bytes.
#include "tests/support/validate_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "simulator/plan/plan_text.hpp"
#include "tests/support/plan_facts.hpp"

namespace ooc {

std::string PlanFacts::at(StepId id) const {
  return fmt::format("step {} ({})", id.index, step_name(plan, graph, id));
}

std::string PlanFacts::name(TensorId tensor) const {
  return "'" + tensor_name(graph, tensor) + "'";
}

bool PlanFacts::taken_before(BlockId id, StepId user) const {
  const auto& by = taken_by[id.at()];
  return !by || *by == user || order.ended_before(*by, user);
}

bool PlanFacts::stays_until_end_of(BlockId id, StepId user) const {
  const auto row = plan.releasers[id];
  return std::any_of(row.begin(), row.end(), [&](StepId releaser) {
    return releaser == user || order.ended_before(user, releaser);
  });
}

namespace {

Verdict check_step(const PlanFacts& facts, StepId id) {
  const Step& it = facts.step(id);
  const auto object = static_cast<std::size_t>(it.object);
  if (!runs_task(it.kind)) {
    if (it.object < 0 || object >= facts.graph.tensors.size()) {
      return fmt::format("step {}: there is no tensor {}", id.index, it.object);
    }
    return std::nullopt;
  }
  if (it.object < 0 || object >= facts.graph.tasks.size()) {
    return fmt::format("step {}: there is no task {}", id.index, it.object);
  }
  const bool far_task = is_far(facts.graph.tasks[object].kind);
  if (far_task != (it.kind == StepKind::kFarCompute)) {
    return fmt::format("{}: runs at the wrong memory", facts.at(id));
  }
  const auto& first = facts.costs.first_alternative;
  const bool own =
      it.alternative.index >= first[object] && it.alternative.index < first[object + 1];
  if (own) return std::nullopt;
  return fmt::format("{}: alternative {} is not one of this task's", facts.at(id),
                     it.alternative.index);
}

/// First runs: once. Recomputes come after the first run.
Verdict check_tasks(const PlanFacts& facts) {
  std::vector<std::optional<StepId>> first_run(facts.graph.tasks.size());
  for (const StepId id : facts.order.sorted()) {
    const Step& it = facts.step(id);
    if (!runs_task(it.kind)) continue;
    auto& first = first_run[static_cast<std::size_t>(it.object)];
    const bool overhead = is_overhead(facts.graph.tasks[static_cast<std::size_t>(it.object)].kind);
    if (overhead && !it.recompute) {
      return fmt::format("{}: counts as work of the network", facts.at(id));
    }
    if (it.recompute && !overhead) {
      if (!first || !facts.order.ended_before(*first, id)) {
        return fmt::format("{}: repeats a task that has not certainly run before", facts.at(id));
      }
    } else if (first) {
      return fmt::format("{}: this task has already run as step {}", facts.at(id), first->index);
    } else {
      first = id;
    }
  }
  for (std::size_t task = 0; task < facts.graph.tasks.size(); ++task) {
    if (!first_run[task]) {
      return fmt::format("task {} ({}) has no step that runs it first", task,
                         task_name(facts.graph, make_id<TaskId>(task)));
    }
  }
  return std::nullopt;
}

/// Fills taken_by.
Verdict take_blocks(PlanFacts& facts) {
  std::vector<bool> taken(facts.plan.blocks.size());
  for (const BlockId id : facts.plan.initial_blocks) {
    const Block& it = facts.block(id);
    const bool input = it.kind == BlockKind::kTensor && facts.is_input(TensorId{it.object});
    if (!input) {
      return fmt::format("block {} is resident from the start but holds no network input",
                         id.index);
    }
    if (taken[id.at()]) return fmt::format("block {} is resident from the start twice", id.index);
    taken[id.at()] = true;
  }
  for (std::size_t index = 0; index < facts.plan.steps.size(); ++index) {
    const auto id = make_id<StepId>(index);
    for (const BlockId block : facts.plan.acquires[id]) {
      if (taken[block.at()]) {
        return fmt::format("{}: block {} has already been taken", facts.at(id), block.index);
      }
      taken[block.at()] = true;
      facts.taken_by[block.at()] = id;
    }
  }
  const auto never = std::find(taken.begin(), taken.end(), false);
  if (never == taken.end()) return std::nullopt;
  return fmt::format("block {} is never taken", never - taken.begin());
}

Verdict check_object(const PlanFacts& facts, BlockId id) {
  const Block& it = facts.block(id);
  const bool tensor = it.kind == BlockKind::kTensor;
  const std::size_t objects = tensor ? facts.graph.tensors.size() : facts.graph.tasks.size();
  if (it.object >= 0 && static_cast<std::size_t>(it.object) < objects) return std::nullopt;
  return fmt::format("block {} belongs to nothing", id.index);
}

Verdict check_block(const PlanFacts& facts, BlockId id) {
  const Block& it = facts.block(id);
  const auto& by = facts.taken_by[id.at()];
  const std::string holder = by ? facts.at(*by) : "from the start";
  if (it.kind == BlockKind::kTensor &&
      it.bytes < facts.costs.tensor_bytes[static_cast<std::size_t>(it.object)]) {
    return fmt::format("{}: block {} is smaller than {}", holder, id.index,
                       facts.name(TensorId{it.object}));
  }
  const auto releasers = facts.plan.releasers[id];
  if (releasers.empty()) {
    return fmt::format("{}: block {} is taken and never freed", holder, id.index);
  }
  if (!by) return std::nullopt;
  for (const StepId releaser : releasers) {
    if (releaser == *by || facts.order.ended_before(*by, releaser)) continue;
    return fmt::format("{}: frees block {}, which step {} may take only later", facts.at(releaser),
                       id.index, by->index);
  }
  return std::nullopt;
}

Verdict check_structure(PlanFacts& facts) {
  for (std::size_t index = 0; index < facts.plan.steps.size(); ++index) {
    if (auto wrong = check_step(facts, make_id<StepId>(index))) return wrong;
  }
  if (const auto on_cycle = facts.order.step_on_cycle()) {
    return fmt::format("{}: waits on itself", facts.at(*on_cycle));
  }
  if (auto wrong = check_tasks(facts)) return wrong;
  for (std::size_t index = 0; index < facts.plan.blocks.size(); ++index) {
    if (auto wrong = check_object(facts, make_id<BlockId>(index))) return wrong;
  }
  if (auto wrong = take_blocks(facts)) return wrong;
  for (std::size_t index = 0; index < facts.plan.blocks.size(); ++index) {
    if (auto wrong = check_block(facts, make_id<BlockId>(index))) return wrong;
  }
  return std::nullopt;
}

}  // namespace

Verdict validate_plan(const Plan& plan, const TrainingGraph& graph, const CostTable& costs) {
  PlanFacts facts(plan, graph, costs);
  if (auto wrong = check_structure(facts)) return wrong;
  return validate_contents(facts);
}

}  // namespace ooc
