// Costs of every task and every copy on one machine at one batch. Built once for a graph, profile
// and batch; another link rebuilds only `transfers`.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/copy_rules.hpp"
#include "model/base/ids.hpp"
#include "model/base/units.hpp"
#include "model/graph/training_graph.hpp"

namespace ooc {

// Algorithms of a task, named as in results and the calibration program: cuDNN's names in
// lower case. Backward algorithms have numbers. algo_0 multiplies matrices without forming them and
// sums with atomic operations. algo_1 sums in a fixed order; algo_3 is algo_0 with precomputed
// indices.

enum class Algorithm : std::uint8_t {
  kDefault,  ///< only algorithm of a task, or a measurement without a name
  kImplicitGemm,
  kImplicitPrecompGemm,
  kGemm,
  kDirect,
  kFft,
  kFftTiling,
  kWinograd,
  kWinogradNonfused,
  kAlgo0,
  kAlgo1,
  kAlgo3,
};

inline constexpr std::array<std::string_view, 12> kAlgorithmNames{
    "default",    "implicit_gemm", "implicit_precomp_gemm", "gemm",   "direct", "fft",
    "fft_tiling", "winograd",      "winograd_nonfused",     "algo_0", "algo_1", "algo_3"};

[[nodiscard]] constexpr std::string_view algorithm_name(Algorithm algorithm) {
  return kAlgorithmNames[static_cast<std::size_t>(algorithm)];
}

/// Index into CostTable::alternatives: an algorithm of a task.
using AlternativeId = Id<struct AlternativeTag>;

/// Rule that picks an algorithm for every task.
enum class AlgorithmChoice {
  kFitting,      ///< the fastest that fits (schedules/footprint.hpp); alternative(): as kMemory
  kMemory,       ///< the first, which has only the workspace that all algorithms of the task need
  kPerformance,  ///< the fastest, whatever its workspace; of equally fast ones the first
};

/// Algorithm of a task with its cost.
struct TaskAlternative {
  Algorithm algorithm = Algorithm::kDefault;
  Duration time;
  Bytes workspace;     ///< GPU memory beside the task's tensors
  Bytes largest = {};  ///< largest tensor in `workspace`; 0: `workspace` is one tensor
  double seconds = 0;  ///< `time` in seconds, before rounding to ns
  /// Host time to issue the kernels (Software::issue), with `hooks`. Updates: 0. If not modelled, 0 for all tasks.
  Duration issue = {};
  Duration hooks = {};  ///< part of `issue` for the framework's hooks on weights (Software::hooks)
};

/// Cost of a copy of one tensor in one direction.
struct TransferCost {
  Duration latency;     ///< time before the bytes move, in which the copy does not use the link
  BytesPerSecond rate;  ///< largest rate at which the bytes move
  Duration alone;       ///< time of the copy if no other uses the link, latency included
};

struct TransferCosts {
  std::vector<TransferCost> to_far;   ///< by tensor: copy to host memory
  std::vector<TransferCost> to_near;  ///< by tensor: copy to GPU memory
  /// By tensor: copy to GPU memory on page faults. Empty: as in `to_near`.
  std::vector<TransferCost> faults = {};
  BytesPerSecond to_far_peak;   ///< rate of the link, or a device's share; at most host memory's
  BytesPerSecond to_near_peak;  ///< as to_far_peak, for copies to GPU memory
  /// Share of its rate that each direction keeps while both move bytes; the rate is rounded down to whole B/s.
  Duplex duplex = {};
  /// Host time to pin memory for each copy to host memory, part of the latencies in `to_far`. The host
  /// issues nothing else meanwhile. 0: memory is pinned before.
  Duration pinning = {};
  /// Slowest stage of the slower direction: "connection", "far memory", "near memory"; "nothing" if all are infinite.
  std::string limited_by = "connection";

  [[nodiscard]] const TransferCost& near_cost(std::size_t tensor, bool on_demand) const {
    return on_demand && !faults.empty() ? faults[tensor] : to_near[tensor];
  }
};

/// Bytes in use during a task that stay allocated to the end of the iteration.
struct HeldBytes {
  Bytes held;    ///< weight gradients (free_gradients()) and network inputs (hold_inputs())
  Bytes begun;   ///< part of `held`: weight gradients that no task has written before
  Bytes summed;  ///< buffers to add up gradients of shared weights; 0 in CostTable::held
};

struct CostTable {
  std::int64_t batch = 1;
  std::vector<TaskAlternative> alternatives;    ///< algorithms of task 0, then of task 1, ...
  std::vector<std::int32_t> first_alternative;  ///< by task: index of its first one; then the end
  std::vector<Bytes> tensor_bytes;              ///< by tensor: its size in GPU memory
  /// By tensor: bytes that a copy of the tensor moves, with CopyRules::each_save. Empty: tensor_bytes.
  std::vector<Bytes> copied_bytes = {};
  Bytes static_bytes;  ///< weights, optimiser states, gradient buckets, gradients not in `held`
  /// By task: bytes that stay allocated to the end, part of each algorithm's workspace. Empty: gradients are static and
  /// network inputs are freed after their last reader.
  std::vector<HeldBytes> held = {};
  std::vector<TensorId> held_inputs = {};  ///< network inputs included in `held`
  /// By task: sizes of the optimiser states that an update allocates in the first iteration, between other blocks
  /// (CachingMemory); part of static_bytes. Empty: all states are allocated before.
  std::vector<std::vector<Bytes>> first_states = {};
  TransferCosts transfers;

  /// Returns, by tensor, the bytes that a copy moves.
  [[nodiscard]] const std::vector<Bytes>& link_bytes() const {
    return copied_bytes.empty() ? tensor_bytes : copied_bytes;
  }

  /// Appends the next task with its algorithms, first the one with least workspace.
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
  /// Returns the first algorithm of a task, the one with least workspace.
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
  /// True if the host's time to issue kernels is modelled (TaskAlternative::issue).
  [[nodiscard]] bool issued_by_host() const {
    return !alternatives.empty() && alternatives.front().issue > Duration(0);
  }
  [[nodiscard]] const TaskAlternative& operator[](AlternativeId id) const {
    return alternatives[id.at()];
  }
};

/// Returns by task the bytes of the tensors that it reads or writes.
[[nodiscard]] std::vector<Bytes> touched_bytes(const TrainingGraph& graph, const CostTable& costs);

// Memory that grows within an iteration and is freed at its end: weight gradients freed between iterations
// (WeightGradients::kFreed), and network inputs that stay after their last reader (HeldInputs::kThroughout). These
// bytes are not static. Schedules see them in the workspaces of tasks. In the plan that runs they are blocks that stay
// to the last task (simulator/plan/wait_as_framework.hpp, docs/notebook/0043-gradients-that-are-freed.md).

/// Moves weight gradients from `costs.static_bytes` to the workspaces of tasks. A backward task has the gradients
/// written up to its end; an update has all. A forward task has the gradients present when backward reaches its layer,
/// since the task may be recomputed until then; its first run has memory to spare. Preconditions: `costs` are those of
/// `graph`, for one device without gradient accumulation, and all gradients are static.
void free_gradients(const TrainingGraph& graph, CostTable& costs);

/// Adds the gradients of shared weights, of which each layer writes a part, to the workspaces of a micro-batch's tasks;
/// the sum of parts is then added to a static gradient. Precondition: `costs` and `graph` are of one micro-batch.
void sum_shared_gradients(const TrainingGraph& graph, CostTable& costs);

/// Adds network inputs that only forward reads to the workspaces of all tasks (backward may read a copy
/// in fewer bits). A task that reads such an input counts it twice: if recomputed, the task may find
/// a copied-in input beside the held one; its first run needs it once and has memory to spare.
/// Preconditions: `costs` are those of `graph`, for one device without gradient accumulation.
void hold_inputs(const TrainingGraph& graph, CostTable& costs);

/// Sets `costs.first_states`: for each update a tensor for each state of the optimiser (Adam: two).
void make_states_late(const TrainingGraph& graph, CostTable& costs);

/// Returns `costs` with static gradients, without held inputs and without first_states.
[[nodiscard]] CostTable with_nothing_held(CostTable costs);

}  // namespace ooc
