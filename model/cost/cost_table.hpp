// What every task and every copy costs on one machine at one batch. Built once per (graph, profile,
// batch); only `transfers` is rebuilt when nothing but the link changes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/base/algorithm.hpp"
#include "model/base/duplex.hpp"
#include "model/base/ids.hpp"
#include "model/base/units.hpp"

namespace ooc {

/// Index into CostTable::alternatives.
using AlternativeId = Id<struct AlternativeTag>;

/// One alternative for every task, by a rule.
enum class AlgorithmChoice {
  kFitting,      ///< the fastest whose workspace fits (simulator/schedules/fitting_algorithms.hpp); the first until chosen
  kMemory,       ///< the first: no workspace but what a layer itself states
  kPerformance,  ///< the fastest, whatever its workspace; of equals the first
};

/// One way to run a task.
struct TaskAlternative {
  Algorithm algorithm = Algorithm::kDefault;
  Duration time;
  Bytes workspace;
  double seconds = 0;  ///< unrounded
  /// Host time to issue its kernels (Software::issue): of all forward tasks or of none.
  Duration issue = {};
};

/// One tensor in one direction. A copy first spends `latency` (no share of the link), then moves
/// its bytes at up to `rate`; alone on the link it takes `alone` in all.
struct TransferCost {
  Duration latency;
  BytesPerSecond rate;
  Duration alone;
};

struct TransferCosts {
  std::vector<TransferCost> to_far;   ///< by tensor
  std::vector<TransferCost> to_near;  ///< by tensor
  /// By tensor: copies in that page faults ask for; empty where they cost what others cost.
  std::vector<TransferCost> faults = {};
  BytesPerSecond to_far_peak;  ///< of the link as a whole, shared by the devices
  BytesPerSecond to_near_peak;
  /// While both directions are active, each runs at floor(own rate x its share).
  Duplex duplex = {};
  /// What the host takes to pin memory for a copy out, which is in the latencies of `to_far`, and for as long as
  /// which it issues nothing else.
  Duration pinning = {};
  /// What binds the rate, for reports: "connection", "far memory" or "near memory".
  std::string limited_by = "connection";

  [[nodiscard]] const TransferCost& near_cost(std::size_t tensor, bool on_demand) const {
    return on_demand && !faults.empty() ? faults[tensor] : to_near[tensor];
  }
};

/// What comes to stay within an iteration, as it is while a task runs.
struct HeldBytes {
  Bytes held;   ///< gradients of weights, and inputs of the network
  Bytes begun;  ///< the gradients that the task is the first to write
};

struct CostTable {
  std::int64_t batch = 1;
  std::vector<TaskAlternative> alternatives;    ///< of task 0, then of task 1, ...
  std::vector<std::int32_t> first_alternative;  ///< by task, plus one at the end
  std::vector<Bytes> tensor_bytes;              ///< by tensor
  Bytes static_bytes;                           ///< weights, their gradients, optimiser state
  /// By task, where there is any (held_bytes.hpp): in the workspaces of all its alternatives; else empty.
  std::vector<HeldBytes> held = {};
  std::vector<TensorId> held_inputs = {};  ///< whose bytes are in `held`
  TransferCosts transfers;

  [[nodiscard]] std::span<const TaskAlternative> alternatives_of(TaskId task) const {
    const auto begin = static_cast<std::size_t>(first_alternative[task.at()]);
    const auto end = static_cast<std::size_t>(first_alternative[task.at() + 1]);
    return {alternatives.data() + begin, end - begin};
  }
  /// The default (first) alternative of a task.
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
  /// Whether the host's time to issue kernels counts: the first task is a forward one.
  [[nodiscard]] bool issued_by_host() const {
    return !alternatives.empty() && alternatives.front().issue > Duration(0);
  }
  [[nodiscard]] const TaskAlternative& operator[](AlternativeId id) const {
    return alternatives[id.at()];
  }
};

}  // namespace ooc
