// Goes through the copies in the order of time, as peak_far_bytes() does, up to the first one too many.
#include "simulator/predict/far_overflow.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "simulator/plan/plan_text.hpp"

namespace ooc {
namespace {

/// What is there all the time, the most first.
std::vector<OutOfMemory::Holder> far_homes(const TrainingGraph& graph, const CostTable& costs,
                                           const Plan& plan) {
  OutOfMemory::Holder optimizer{.name = "optimizer state", .bytes = {}};
  OutOfMemory::Holder weights{.name = "weights", .bytes = {}};
  OutOfMemory::Holder sums{.name = "sums of gradients", .bytes = {}};
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    if (graph.tensors[i].home != TensorHome::kFar) continue;
    const TensorRole role = graph.tensors[i].role;
    (role == TensorRole::kWeight           ? weights
     : role == TensorRole::kWeightGradient ? sums
                                           : optimizer)
        .bytes += plan.far_bytes(costs.tensor_bytes[i]);
  }
  std::vector<OutOfMemory::Holder> homes;
  for (OutOfMemory::Holder& holder : {std::ref(optimizer), std::ref(weights), std::ref(sums)}) {
    if (holder.bytes > Bytes(0)) homes.push_back(std::move(holder));
  }
  return homes;
}

}  // namespace

OutOfMemory far_overflow(const Case& which, const CaseRun& run, const Timeline& timeline,
                         Bytes peak) {
  const Plan& plan = std::get<Plan>(run.plan);
  const CostTable& costs = run.costs(which);
  struct Change {
    Duration at;
    std::int64_t bytes;  ///< negative first: at one instant ends come before starts
    std::size_t step;
  };
  std::vector<std::optional<std::size_t>> first_out(costs.tensor_bytes.size());
  std::vector<std::optional<std::size_t>> last_in(costs.tensor_bytes.size());
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    const auto tensor = static_cast<std::size_t>(step.object);
    if (runs_task(step.kind)) continue;
    if (run.graph(which).tensors[tensor].home == TensorHome::kFar) continue;
    if (step.kind == StepKind::kToFar && !first_out[tensor]) first_out[tensor] = i;
    if (step.kind == StepKind::kToNear) last_in[tensor] = i;
  }
  std::vector<Change> changes;
  for (std::size_t tensor = 0; tensor < first_out.size(); ++tensor) {
    if (!first_out[tensor]) continue;
    const std::int64_t bytes = plan.far_bytes(costs.tensor_bytes[tensor]).count();
    changes.push_back({timeline.spans[*first_out[tensor]].start, bytes, *first_out[tensor]});
    if (last_in[tensor]) {
      changes.push_back({timeline.spans[*last_in[tensor]].end, -bytes, *last_in[tensor]});
    }
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::tuple(a.at, a.bytes > 0, a.step) < std::tuple(b.at, b.bytes > 0, b.step);
  });

  const std::int64_t capacity = which.far_capacity.count();
  OutOfMemory oom{.step = "copies out",
                  .wanted = peak,
                  .free = Bytes(0),
                  .largest_hole = Bytes(0),
                  .holders = {},
                  .smallest_budget = peak,
                  .tier = OutOfMemory::Tier::kFar};
  oom.holders = far_homes(run.graph(which), costs, plan);
  std::int64_t used = 0;
  for (const OutOfMemory::Holder& holder : oom.holders) used += holder.bytes.count();
  if (used > capacity) {
    oom.step = "the start";  // what is in far memory all the time
    oom.wanted = Bytes(used);
    oom.free = oom.largest_hole = Bytes(capacity);
    return oom;
  }
  for (const Change& change : changes) {
    if (used + change.bytes > capacity) {
      oom.step = step_name(plan, run.graph(which), make_id<StepId>(change.step));
      oom.wanted = Bytes(change.bytes);
      oom.free = Bytes(capacity - used);
      oom.largest_hole = oom.free;
      break;
    }
    used += change.bytes;
  }
  return oom;
}

}  // namespace ooc
