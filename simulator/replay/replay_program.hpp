// Turns a plan and its simulated timeline into a program that a real device can obey
// (docs/gpu-protocol.md, Replay): addresses, order and waits are all decided here, before anything runs.
// A device has no allocator that waits until memory is free; what the engine does when it runs must become
// waits for steps.
//
// Memory. The timeline orders all starts and ends (memory_order.hpp). Number the steps that take memory in
// that order, and the frees likewise; the step with number i must wait for the first k_i frees, where k_i
// is the smallest k for which
//     static + initial + bytes taken by steps 0..i - bytes of the first k frees <= budget.
// * Then no execution, however long its steps really take, ever holds more than the budget: of the
//   steps that have started let i have the greatest number. All that has been taken was taken by steps
//   0..i, and the first k_i frees, which the timeline has before i and so after the steps that took what
//   they free, have happened.
// * No execution gets stuck: queue order, waits and these waits all point back in one order, the
//   timeline's.
// * With the durations of the timeline the program takes exactly the simulated time: the timeline
//   obeys each of these waits, so none is ever late, and a step that stood still for memory had, just
//   before it started, fewer than k_i frees behind it, so none is early.
//
// Addresses, decided twice. In pages: each block has its own range of addresses over pages of one pool, which
// needs hardly more than the bytes that are ever resident (page_pool.hpp). In one arena, for devices
// that cannot map pages: a block may take the addresses of another whose releasers have certainly ended
// before its taker starts (queue order, waits and the waits above). That is strip packing; the
// extent may exceed the bytes that are ever resident, by holes and by rounding up to 512 bytes. Pages
// are left out where the arena is no larger.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/graph/training_graph.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/replay/page_pool.hpp"
#include "simulator/timeline/timeline.hpp"

namespace ooc {

/// A stay of a buffer in near memory; numbered as in the plan (BlockId).
struct ReplayBlock {
  Bytes offset;  ///< in the arena
  Bytes bytes;
  std::optional<TensorId> content;  ///< none: workspace
  bool initial = false;             ///< filled before anything starts
};

/// A place in the far pool: one for each tensor that is ever copied.
struct ReplaySlot {
  Bytes offset;
  Bytes bytes;
  std::optional<TensorId> content;  ///< it is there from the beginning (network inputs)
  TensorId tensor;                  ///< that lives here
};

struct ReplayStep {
  StepKind kind = StepKind::kCompute;
  bool recompute = false;
  Duration duration;                ///< as simulated; of a copy: latency and all
  Duration start;                   ///< as simulated
  std::vector<std::int32_t> waits;  ///< steps of other queues, at most one of each
  std::vector<std::int32_t> reads;  ///< blocks, ascending (kCompute)
  std::vector<std::int32_t> writes;
  std::int32_t block = 0;  ///< of a copy
  std::int32_t slot = 0;
  Bytes bytes;
  std::string name;  ///< step_name
  std::string
      operation;  ///< "op=conv pass=forward ..." (docs/replay-operations.md); empty: it spins
};

struct ReplayProgram {
  std::vector<ReplayBlock> blocks;
  std::vector<ReplaySlot> slots;
  std::vector<ReplayStep> steps;  ///< in sequence order; StepIds of the plan
  Bytes budget;                   ///< static bytes included
  Bytes static_bytes;             ///< weights, their gradients, optimiser state
  Bytes arena_bytes;              ///< extent of the blocks
  std::optional<PagePool> pool;   ///< none: it would need no less than the arena
  Bytes far_bytes;                ///< extent of the slots
  Bytes peak_near;                ///< as simulated, static bytes included
  /// What is taken for the blocks where pages can be mapped.
  [[nodiscard]] Bytes pool_bytes() const { return pool ? pool->bytes() : arena_bytes; }
  /// Kinds of layers, ascending, of which some step spins even with compute=real.
  std::vector<std::string> not_covered;
};

/// `timeline` is the plan's, simulated with `budget`. In any execution at most `budget` is resident; with
/// timeline.peak_near in its place, no more than was predicted (fewer freedoms, same predicted times).
/// `page`: a multiple of kReplayAlignment; none: no pool of pages.
/// Throws SpecError for a plan on several devices.
[[nodiscard]] ReplayProgram make_replay_program(const Plan& plan, const TrainingGraph& graph,
                                                const CostTable& costs, const Timeline& timeline,
                                                Bytes budget, Bytes page = Bytes(0));

}  // namespace ooc
