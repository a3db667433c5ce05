// Costs of every task and every copy on one machine at one batch. Built once for a graph, profile
// and batch; another link rebuilds only `transfers`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/base/algorithm.hpp"
#include "model/base/copy_rules.hpp"
#include "model/base/ids.hpp"
#include "model/base/units.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

/// Index into CostTable::alternatives: an algorithm of a task.
using AlternativeId = Id<struct AlternativeTag>;

/// Rule that picks one algorithm for every task.
enum class AlgorithmChoice {
  kFitting,  ///< the fastest that fits (schedules/footprint.hpp); CostTable::alternative(): the first
  kMemory,       ///< the first, with only the workspace that the layer states itself
  kPerformance,  ///< the fastest, whatever its workspace; ties: the first
};

/// Algorithm of a task with its cost.
struct TaskAlternative {
  Algorithm algorithm = Algorithm::kDefault;
  Duration time;
  Bytes workspace;
  Bytes largest = {};  ///< largest tensor in `workspace`; 0: `workspace` is one tensor
  double seconds = 0;  ///< unrounded `time` in seconds
  /// Host time to issue the kernels (Software::issue). Set for all forward tasks or for none.
  Duration issue = {};
  Duration hooks = {};  ///< part of `issue` for the framework's hooks on weights (Software::hooks)
};

/// Copy of one tensor in one direction. The copy spends `latency` without using the link, then
/// moves its bytes at up to `rate`. Alone on the link the copy takes `alone`, latency included.
struct TransferCost {
  Duration latency;
  BytesPerSecond rate;
  Duration alone;
};

struct TransferCosts {
  std::vector<TransferCost> to_far;   ///< by tensor
  std::vector<TransferCost> to_near;  ///< by tensor
  /// Copies to GPU memory on page faults, by tensor; empty: as in `to_near`.
  std::vector<TransferCost> faults = {};
  BytesPerSecond to_far_peak;  ///< rate of the link, or one device's share of a shared one
  BytesPerSecond to_near_peak;
  /// Share of its rate that each direction keeps while both are active, rounded down to 1 B/s.
  Duplex duplex = {};
  /// Host time to pin memory for a copy to host memory. Latencies of `to_far` include it. The host
  /// issues nothing else meanwhile.
  Duration pinning = {};
  /// Slowest stage, for reports: "connection", "far memory" or "near memory"; "nothing" if all are infinite.
  std::string limited_by = "connection";

  [[nodiscard]] const TransferCost& near_cost(std::size_t tensor, bool on_demand) const {
    return on_demand && !faults.empty() ? faults[tensor] : to_near[tensor];
  }
};

/// Bytes in use during a task that stay allocated to the end of the iteration, except `summed`.
struct HeldBytes {
  Bytes held;    ///< weight gradients (free_gradients()) and network inputs (hold_inputs())
  Bytes begun;   ///< bytes of weight gradients that this task writes first
  Bytes summed;  ///< freed after the task: a further part of shared weights' gradient, and the sum
};

struct CostTable {
  std::int64_t batch = 1;
  std::vector<TaskAlternative> alternatives;    ///< algorithms of task 0, then of task 1, ...
  std::vector<std::int32_t> first_alternative;  ///< index by task; one more entry for the end
  std::vector<Bytes> tensor_bytes;              ///< by tensor
  /// By tensor: bytes copied when the tensor moves, if not tensor_bytes (CopyRules::each_save); empty: tensor_bytes.
  std::vector<Bytes> copied_bytes = {};
  Bytes static_bytes;  ///< weights, optimiser states, gradients unless in `held`
  /// Bytes that stay, by task, part of each algorithm's workspace. Empty if gradients are static and no inputs held.
  std::vector<HeldBytes> held = {};
  std::vector<TensorId> held_inputs = {};  ///< network inputs included in `held`
  /// By task: sizes of the optimiser states that a layer's update allocates the first time, part of static_bytes,
  /// between other blocks (CachingMemory). Empty: states are allocated before the iteration.
  std::vector<std::vector<Bytes>> first_states = {};
  TransferCosts transfers;

  /// Returns by tensor the bytes that a copy moves.
  [[nodiscard]] const std::vector<Bytes>& link_bytes() const {
    return copied_bytes.empty() ? tensor_bytes : copied_bytes;
  }

  /// Appends a task with its algorithms, the default one first.
  void add_task(std::span<const TaskAlternative> algorithms) {
    if (first_alternative.empty()) first_alternative.push_back(0);
    alternatives.insert(alternatives.end(), algorithms.begin(), algorithms.end());
    first_alternative.push_back(static_cast<std::int32_t>(alternatives.size()));
  }

  [[nodiscard]] std::span<const TaskAlternative> alternatives_of(TaskId task) const {
    const auto begin = static_cast<std::size_t>(first_alternative[task.at()]);
    const auto end = static_cast<std::size_t>(first_alternative[task.at() + 1]);
    return {alternatives.data() + begin, end - begin};
  }
  /// Returns the first algorithm of a task.
  [[nodiscard]] AlternativeId default_alternative(TaskId task) const {
    return AlternativeId{first_alternative[task.at()]};
  }
  [[nodiscard]] AlternativeId alternative(TaskId task, AlgorithmChoice choice) const {
    AlternativeId chosen = default_alternative(task);
    if (choice != AlgorithmChoice::kPerformance) return chosen;
    for (AlternativeId each = chosen; each.index < first_alternative[task.at() + 1]; ++each.index) {
      if (alternatives[each.at()].time < alternatives[chosen.at()].time) chosen = each;
    }
    return chosen;
  }
  /// True if the host's time to issue kernels is modelled.
  [[nodiscard]] bool issued_by_host() const {
    return !alternatives.empty() && alternatives.front().issue > Duration(0);
  }
  [[nodiscard]] const TaskAlternative& operator[](AlternativeId id) const {
    return alternatives[id.at()];
  }
};

// Memory that grows within an iteration and is freed at its end: weight gradients freed between
// iterations (WeightGradients::kFreed), and inputs that the program holds after their last reader
// (HeldInputs::kThroughout). These bytes are not static. Schedules see them in the workspaces of
// tasks. The executed plan has them in blocks that stay to the last task
// (simulator/plan/wait_as_framework.hpp, docs/notebook/0043-gradients-that-are-freed.md).

/// Moves weight gradients from `costs.static_bytes` to the workspaces of tasks. A backward task has the gradients
/// written up to its end; an update has all. A forward task has the gradients present when backward reaches its layer,
/// since it may be recomputed until then; its first run has memory to spare. Preconditions: costs of `graph`, one
/// device, no gradient accumulation, all gradients static.
void free_gradients(const TrainingGraph& graph, CostTable& costs);

/// Adds parts of shared weights' gradients, and their sums, to the workspaces of a micro-batch's tasks. Static
/// gradients take the result. Preconditions: as of free_gradients, but with accumulation.
void sum_shared_gradients(const TrainingGraph& graph, CostTable& costs);

/// Adds inputs that only forward reads to the workspaces of all tasks (backward may read a copy in
/// fewer bits). Tasks that read one count it twice: a recomputed reader may find a copied-in input
/// beside the held one. The reader's first run, which has memory to spare, needs it once.
/// Preconditions: costs of `graph`, one device, no gradient accumulation.
void hold_inputs(const TrainingGraph& graph, CostTable& costs);

/// Sets `costs.first_states`: for each updated layer one tensor for each state of the optimiser.
void make_states_late(const TrainingGraph& graph, CostTable& costs);

/// Returns the costs with static gradients, without held inputs and first_states.
[[nodiscard]] CostTable with_nothing_held(CostTable costs);

}  // namespace ooc
