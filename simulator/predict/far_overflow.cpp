// Goes through the copies in the order of time, as peak_far_bytes() does, up to the first one too many.
#include "simulator/predict/far_overflow.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "simulator/plan/plan_text.hpp"
#include "simulator/summary/memory_use.hpp"

namespace ooc {
namespace {

/// What is there all the time.
std::vector<OutOfMemory::Holder> far_homes(const TrainingGraph& graph,
                                           const std::vector<FarStay>& stays) {
  OutOfMemory::Holder optimizer{.name = "optimizer state", .bytes = {}};
  OutOfMemory::Holder weights{.name = "weights", .bytes = {}};
  OutOfMemory::Holder sums{.name = "sums of gradients", .bytes = {}};
  OutOfMemory::Holder buffers{.name = "buffers of gradients", .bytes = {}};
  for (const FarStay& stay : stays) {
    if (stay.out) continue;
    const Tensor& tensor = graph.tensors[stay.tensor.at()];
    OutOfMemory::Holder& holder = tensor.role == TensorRole::kWeight           ? weights
                                  : tensor.role == TensorRole::kOptimizerState ? optimizer
                                  : tensor.home == TensorHome::kFar            ? sums
                                                                               : buffers;
    holder.bytes += stay.bytes;
  }
  std::vector<OutOfMemory::Holder> homes{optimizer, weights, sums, buffers};
  std::erase_if(homes, [](const auto& holder) { return holder.bytes == Bytes(0); });
  return homes;
}

void most_first(std::vector<OutOfMemory::Holder>& holders) {
  std::stable_sort(holders.begin(), holders.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
}

}  // namespace

OutOfMemory far_overflow(const Case& which, const CaseRun& run, const Timeline& timeline,
                         Bytes peak) {
  const Plan& plan = std::get<Plan>(run.plan);
  const TrainingGraph& graph = run.graph(which);
  struct Change {
    Duration at;
    std::int64_t bytes;  ///< negative first: at one instant ends come before starts
    std::size_t step;    ///< the copy out
    TensorRole role;
  };
  const std::vector<FarStay> stays = far_stays(plan, graph, run.costs(which), timeline);
  std::vector<Change> changes;
  for (const FarStay& stay : stays) {
    if (!stay.out) continue;
    const TensorRole role = graph.tensors[stay.tensor.at()].role;
    changes.push_back({stay.from, stay.bytes.count(), stay.out->at(), role});
    changes.push_back({stay.until, -stay.bytes.count(), stay.out->at(), role});
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
  oom.holders = far_homes(graph, stays);
  std::int64_t used = 0;
  for (const OutOfMemory::Holder& holder : oom.holders) used += holder.bytes.count();
  if (used > capacity) {
    oom.step = "the start";  // what is in far memory all the time
    oom.wanted = Bytes(used);
    oom.free = oom.largest_hole = Bytes(capacity);
    most_first(oom.holders);
    return oom;
  }
  OutOfMemory::Holder gradients{.name = "gradients that have come", .bytes = {}};
  OutOfMemory::Holder others{.name = "activations", .bytes = {}};
  for (const Change& change : changes) {
    if (used + change.bytes > capacity) {
      oom.step = step_name(plan, graph, make_id<StepId>(change.step));
      oom.wanted = Bytes(change.bytes);
      oom.free = Bytes(capacity - used);
      oom.largest_hole = oom.free;
      break;
    }
    used += change.bytes;
    (change.role == TensorRole::kWeightGradient ? gradients : others).bytes += Bytes(change.bytes);
  }
  for (const OutOfMemory::Holder& holder : {gradients, others}) {
    if (which.moving && holder.bytes > Bytes(0)) oom.holders.push_back(holder);
  }
  most_first(oom.holders);
  return oom;
}

}  // namespace ooc
