// Plan for execution on a device: its copies, its compute steps as durations, and the waits of each. A device has no
// allocator that delays a step until memory is free, so the engine's waits for memory become waits for steps.
//
// The timeline orders all starts and ends. Number the steps that take memory in that order, and the frees likewise; the
// step with number i must wait for the first k_i frees, where k_i is the smallest k for which
//     static + initial + bytes taken by steps 0..i - bytes of the first k frees <= budget.
// * Then no execution, however long its steps really take, would ever hold more than the budget: of the steps that
//   have started let i have the greatest number. All that has been taken was taken by steps 0..i, and the first
//   k_i frees, which the timeline has before i and so after the steps that took what they free, have happened.
// * No execution gets stuck: queue order, waits and these waits all point back in one order, the timeline's.
// * With the durations of the timeline the plan takes exactly the simulated time: the timeline obeys each of these
//   waits, so none is ever late, and a step that stood still for memory had, just before it started, fewer than
//   k_i frees behind it, so none is early.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

struct ReplayPlan {
  std::vector<StepId> order;  ///< steps in order of start, each after all that it waits for
  std::vector<std::vector<std::int32_t>> waits;  ///< by step: steps of other queues to wait for
};

/// Returns the plan for a device. Preconditions: `timeline` of the ideal allocator, with events; peak_near <= `budget`.
[[nodiscard]] ReplayPlan make_replay_plan(const Plan& plan, const Timeline& timeline, Bytes budget);

/// Kernels that run in place of compute steps.
enum class ReplayMode {
  kSpin,  ///< each kernel spins for the predicted time
  kBusy,  ///< as kSpin, but in layers without matrix products kernels copy memory for that time
};

struct ReplayRun {
  ReplayMode mode = ReplayMode::kSpin;
  std::int64_t iterations = 20;
  std::int64_t warmup = 3;
  std::int64_t max_ms = 30'000;
};

struct ReplayInputs {
  const ReplayPlan& replay;
  const Plan& plan;
  const TrainingGraph& graph;
  const CostTable& costs;
  const Timeline& timeline;
};

/// Text for `ooc-paleo-gpu --replay` (docs/calibration.md). `id` is a fingerprint of the steps:
/// equal plans have equal ids, different plans practically never.
struct ReplayText {
  long long id = 0;
  std::string text;
};
[[nodiscard]] ReplayText write_replay_plan(const ReplayInputs& in, const ReplayRun& run);

// Order in which a simulated run takes and frees GPU memory, and the number of frees that each step
// must wait for so that memory never overflows (argument at the top of this file).

struct MemoryOrder {
  std::vector<StepId> starts;             ///< all steps, each after all that it waits for
  std::vector<BlockId> frees;             ///< blocks that are freed during the run, in order
  std::vector<std::size_t> needed_frees;  ///< by step: number of first `frees` to wait for
  Bytes peak;                             ///< peak of GPU memory, static bytes included
};

/// Returns the order. Preconditions: `plan` of one device; `timeline` and `budget` as for make_replay_plan().
[[nodiscard]] MemoryOrder order_memory(const Plan& plan, const Timeline& timeline, Bytes budget);

// Waits of each step of a program: the plan's and those for memory, reduced to the fewest that give
// the same order. Queues are in order, so the steps that have ended are one number a queue. A wait
// is needed only if queue order and other waits do not imply it.

/// By StepKind, without kFarCompute: number of steps of that queue that have ended.
using QueueCounts = std::array<std::int32_t, 3>;

struct StepWaits {
  std::vector<std::vector<std::int32_t>> waits;  ///< by step: steps of other queues to wait for
  std::vector<QueueCounts> ended;  ///< by step: counts of steps surely ended at its start
};

[[nodiscard]] StepWaits find_step_waits(const Plan& plan, const MemoryOrder& order);

}  // namespace ooc
